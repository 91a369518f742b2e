/// A canvas in memory, for tests.
package nonisolated struct TextGrid: Canvas, Sendable {
  /// The size of the grid.
  package let size: CanvasSize
  private var cells: [[Character?]]

  /// Creates an empty grid.
  package init(rows: Int, columns: Int) {
    size = CanvasSize(rows: rows, columns: columns)
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  /// Writes text into the cells of a row. Text beyond the grid is cut off.
  package mutating func text(_ row: Int, _ column: Int, _ text: String, _ style: Style) {
    guard cells.indices.contains(row), column >= 0 else { return }
    var column = column
    for character in text {
      let width = TextWidth.columns(of: character)
      guard width > 0 else { continue }
      guard column + width <= size.columns else { return }
      cells[row][column] = Glyphs.isSpacing(character) ? " " : character
      for covered in (column + 1)..<(column + width) { cells[row][covered] = nil }
      column += width
    }
  }

  /// The rows as lines, without trailing spaces.
  package var lines: [String] {
    cells.map { row in
      var line = String(row.compactMap { $0 })
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}
