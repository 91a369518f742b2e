import Terminal

nonisolated extension Canvas {
  /// Draws a message over everything in some rows: in a box, or without one if there is no room.
  mutating func notice(_ title: String, _ text: String, hint: String, in rows: Range<Int>, _ style: Style) {
    if rows.count >= 5, size.columns >= 20 {
      let hints = TextWidth.wrap(hint, columns: size.columns - 6)
      let room = rows.count - 3 - hints.count
      let lines = TextWidth.wrap(text, columns: min(size.columns - 6, 50), lines: room)
      box(lines + (room > 0 ? [""] : []) + hints, title: title, style)
    } else {
      for row in rows { self.text(row, 0, String(repeating: " ", count: size.columns), style) }
      let room = rows.count > 1 ? rows.count - 1 : rows.count
      let lines = TextWidth.wrap(text, columns: size.columns, lines: room)
      for (row, line) in zip(rows, lines) { self.text(row, 0, line, style) }
      if rows.count > 1 { self.text(rows.upperBound - 1, 0, hint, style) }
    }
  }
}
