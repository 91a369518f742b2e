/// A rectangle of cells.
package nonisolated struct Rect: Equatable, Sendable {
  package var row = 0
  package var column = 0
  package var rows = 0
  package var columns = 0

  package init(row: Int = 0, column: Int = 0, rows: Int, columns: Int) {
    (self.row, self.column, self.rows, self.columns) = (row, column, max(rows, 0), max(columns, 0))
  }

  package static let zero = Rect(rows: 0, columns: 0)

  var size: CanvasSize { CanvasSize(rows: rows, columns: columns) }
  var isEmpty: Bool { rows == 0 || columns == 0 }

  func contains(row: Int, column: Int) -> Bool {
    (self.row..<self.row + rows).contains(row) && (self.column..<self.column + columns).contains(column)
  }

  func intersection(_ other: Rect) -> Rect {
    let (top, left) = (max(row, other.row), max(column, other.column))
    return Rect(
      row: top, column: left, rows: min(row + rows, other.row + other.rows) - top,
      columns: min(column + columns, other.column + other.columns) - left)
  }

  /// Returns the rectangle without some cells at its edges.
  func inset(rows: Int, columns: Int) -> Rect {
    Rect(row: row + rows, column: column + columns, rows: self.rows - 2 * rows, columns: self.columns - 2 * columns)
  }
}
