import Terminal

/// A canvas in memory that also records reversed text, such as cursors.
struct StyledGrid: Canvas {
  private var grid: TextGrid
  /// All reversed text, in order.
  private(set) var reversed: [String] = []

  init(rows: Int, columns: Int) {
    grid = TextGrid(rows: rows, columns: columns)
  }

  var size: CanvasSize { grid.size }
  var lines: [String] { grid.lines }

  mutating func text(_ row: Int, _ column: Int, _ text: String, _ style: Style) {
    grid.text(row, column, text, style)
    if style.isReversed { reversed.append(text) }
  }
}
