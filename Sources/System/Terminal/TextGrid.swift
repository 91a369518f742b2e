/// A canvas in memory: the cells of a screen with their styles, for tests, and for drawing only what has changed.
public nonisolated struct TextGrid: Canvas, Equatable, Sendable {
  /// A cell; the right half of a wide character has none of its own.
  struct Cell: Equatable, Sendable {
    var character: Character? = " "
    var style = Style.plain
  }

  /// The size of the grid.
  public let size: CanvasSize
  private var cells: [[Cell]]

  /// Creates an empty grid.
  public init(rows: Int, columns: Int) {
    size = CanvasSize(rows: max(rows, 0), columns: max(columns, 0))
    cells = Array(repeating: Array(repeating: Cell(), count: size.columns), count: size.rows)
  }

  /// Writes text into the cells of a row. Text beyond the grid is cut off.
  public mutating func text(_ row: Int, _ column: Int, _ text: String, _ style: Style) {
    guard cells.indices.contains(row), column >= 0 else { return }
    var column = column
    for character in text {
      let width = TextWidth.columns(of: character)
      guard width > 0 else { continue }
      guard column + width <= size.columns else { return }
      split(row, column)
      split(row, column + width)
      cells[row][column] = Cell(character: Glyphs.isSpacing(character) ? " " : character, style: style)
      for covered in (column + 1)..<(column + width) { cells[row][covered] = Cell(character: nil, style: style) }
      column += width
    }
  }

  /// Replaces a wide character by spaces, of which only one half is drawn over.
  private mutating func split(_ row: Int, _ column: Int) {
    guard column < size.columns, cells[row][column].character == nil else { return }
    var start = column
    while start > 0, cells[row][start].character == nil { start -= 1 }
    cells[row][start].character = " "
    var end = start + 1
    while end < size.columns, cells[row][end].character == nil {
      cells[row][end].character = " "
      end += 1
    }
  }

  /// The rows as lines, without trailing spaces.
  public var lines: [String] {
    cells.map { row in
      var line = String(row.compactMap(\.character))
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// The rows as lines with their styles, such as `two <bold,red>words</>`; without trailing plain spaces.
  public var styledLines: [String] {
    cells.indices.map { row in
      var line = ""
      for (_, text, style) in runs(in: row) {
        line += style == .plain ? text : "<\(style)>\(text)</>"
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  /// Draws the grid on another canvas.
  public func draw(on canvas: inout some Canvas) {
    for row in cells.indices {
      for (column, text, style) in runs(in: row) { canvas.text(row, column, text, style) }
    }
  }

  /// Returns the pieces of a row with one style, with their columns.
  private func runs(in row: Int) -> [(column: Int, text: String, style: Style)] {
    var runs: [(column: Int, text: String, style: Style)] = []
    for (column, cell) in cells[row].enumerated() {
      guard let character = cell.character else { continue }
      if let last = runs.indices.last, runs[last].style == cell.style {
        runs[last].text.append(character)
      } else {
        runs.append((column, String(character), cell.style))
      }
    }
    return runs
  }
}
