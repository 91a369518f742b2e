package import Terminal

nonisolated extension Canvas {
  /// Draws wrapped and centered text in some rows, as much of it as fits.
  package mutating func paragraph(_ text: String, in rows: Range<Int>, _ style: Style) {
    let columns = size.columns < 40 ? size.columns : min(size.columns - 4, 60)
    for (row, line) in zip(rows, TextWidth.wrap(text, columns: columns, lines: rows.count)) {
      centered(row, line, style)
    }
  }
}
