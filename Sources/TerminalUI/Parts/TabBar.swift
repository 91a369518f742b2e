/// The labels of tabs in one row, the open one marked.
package nonisolated struct TabBar {
  package var titles: [String]
  package var selected: Int

  package init(_ titles: [String], selected: Int) { (self.titles, self.selected) = (titles, selected) }

  /// The labels: with their titles if there is room, otherwise with the title of the open one or without.
  private func labels(_ columns: Int) -> [String] {
    func labels(_ isNamed: (Int) -> Bool) -> [String] {
      titles.enumerated().map { index, name in
        let label = isNamed(index) ? "\(index + 1) \(name)" : "\(index + 1)"
        return index == selected ? "┤\(label)├" : " \(label) "
      }
    }
    func fits(_ labels: [String]) -> Bool { labels.reduce(1) { $0 + TextWidth.columns(of: $1) } <= columns }
    let (long, short) = (labels { _ in true }, labels { $0 == selected })
    return fits(long) ? long : fits(short) ? short : labels { _ in false }
  }

  /// Returns the tab at a column, if any.
  package func tab(at column: Int, columns: Int) -> Int? {
    var end = 1
    return labels(columns).firstIndex { label in
      end += TextWidth.columns(of: label)
      return column >= 1 && column < end
    }
  }

  /// Draws the labels on a rule; returns the column behind them.
  @discardableResult
  package func draw(_ row: Int, on canvas: inout some Canvas) -> Int {
    canvas.rule(row)
    var column = 1
    for (index, label) in labels(canvas.size.columns).enumerated() {
      canvas.text(row, column, label, index == selected ? Style(.cyan, bold: true) : Style(dim: true))
      column += TextWidth.columns(of: label)
    }
    return column
  }
}
