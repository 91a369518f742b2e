internal import Terminal

/// Lays out rows of cells in aligned columns; the last column takes the rest of the line.
nonisolated enum Table {
  static func lines(_ head: [String], _ rows: [[String]], _ palette: Palette, width: Int?) -> [String] {
    let all = [head] + rows
    let widths = head.indices.map { column in all.map { TextWidth.columns(of: $0[column]) }.max() ?? 0 }
    return all.enumerated().map { index, cells in
      var line = ""
      for (column, cell) in cells.enumerated() {
        let isLast = column == cells.count - 1
        let used = TextWidth.columns(of: line)
        let room = width.map { max($0 - used, 8) } ?? .max
        let text = isLast ? (room == .max ? cell : TextWidth.fit(cell, columns: room)) : cell
        line += text
        if !isLast { line += String(repeating: " ", count: widths[column] - TextWidth.columns(of: text) + 2) }
      }
      return index == 0 ? palette.strong(line) : line
    }
  }
}
