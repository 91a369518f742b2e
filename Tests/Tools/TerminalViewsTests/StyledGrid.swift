import Terminal

/// A canvas in memory that also records reversed text, such as cursors, and highlighted text.
struct StyledGrid: Canvas {
  private var grid: TextGrid
  /// All reversed text, in order.
  private(set) var reversed: [String] = []
  /// All highlighted text, in order.
  private(set) var highlighted: [String] = []

  init(rows: Int, columns: Int) {
    grid = TextGrid(rows: rows, columns: columns)
  }

  var size: CanvasSize { grid.size }
  var lines: [String] { grid.lines }

  mutating func text(_ row: Int, _ column: Int, _ text: String, _ style: Style) {
    grid.text(row, column, text, style)
    if style.isReversed { reversed.append(text) }
    // Over text that was drawn before; labels of the same style are not in the rows of a list.
    if style.color == .yellow, style.isBold { highlighted.append(text) }
  }
}
