/// A part of the screen that a view draws on, with coordinates of its own. Text beyond it is cut off.
package struct Region: Canvas {
  /// The cells of the whole screen.
  final class Cells {
    var grid: TextGrid
    init(_ size: CanvasSize) { grid = TextGrid(rows: size.rows, columns: size.columns) }
  }

  private let cells: Cells
  /// The region on the screen.
  private let rect: Rect
  /// The part of the region that is visible.
  private let visible: Rect
  /// The style around the text.
  private let style: Style

  init(_ cells: Cells) {
    self.cells = cells
    rect = Rect(rows: cells.grid.size.rows, columns: cells.grid.size.columns)
    (visible, style) = (rect, .plain)
  }

  private init(_ cells: Cells, _ rect: Rect, _ visible: Rect, _ style: Style) {
    (self.cells, self.rect, self.visible, self.style) = (cells, rect, visible, style)
  }

  package var size: CanvasSize { rect.size }

  /// Returns a part of the screen within this region.
  func part(_ rect: Rect) -> Region { Region(cells, rect, visible.intersection(rect), style) }

  /// Returns the region with a style for all text.
  func styled(_ style: Style) -> Region { Region(cells, rect, visible, style.within(self.style)) }

  package mutating func text(_ row: Int, _ column: Int, _ text: String, _ style: Style) {
    let (row, column) = (rect.row + row, rect.column + column)
    let end = visible.column + visible.columns
    guard (visible.row..<visible.row + visible.rows).contains(row), column >= visible.column, column < end else {
      return
    }
    let shown = text.utf8.count <= end - column ? text : TextWidth.prefix(of: text, columns: end - column)
    cells.grid.text(row, column, shown, style.within(self.style))
  }

  /// Fills the region with spaces.
  mutating func clear() {
    let blank = String(repeating: " ", count: size.columns)
    for row in 0..<size.rows { text(row, 0, blank, .plain) }
  }
}
