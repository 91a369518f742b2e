/// Something that text can be drawn on: a terminal, or a grid in memory.
public nonisolated protocol Canvas {
  /// How many rows and columns there are.
  var size: CanvasSize { get }

  /// Draws text in one row, from a column on; what does not fit the canvas is cut off.
  mutating func text(_ row: Int, _ column: Int, _ text: String, _ style: Style)
}

/// Rows and columns.
public nonisolated struct CanvasSize: Equatable, Sendable {
  /// Rows.
  public var rows: Int
  /// Columns.
  public var columns: Int

  /// Creates a size.
  public init(rows: Int, columns: Int) {
    (self.rows, self.columns) = (rows, columns)
  }
}

/// How text looks. Where a terminal has no colours, the rest of the style remains.
public nonisolated struct Style: Equatable, Sendable {
  /// The colours of every terminal.
  public enum Color: Int16, Sendable, CaseIterable {
    case standard, red, green, yellow, blue, cyan
  }

  /// The colour.
  public var color = Color.standard
  /// Whether the text is bold.
  public var isBold = false
  /// Whether the text steps back.
  public var isDim = false
  /// Whether text and background change places.
  public var isReversed = false

  /// Creates a style.
  public init(_ color: Color = .standard, bold: Bool = false, dim: Bool = false, reversed: Bool = false) {
    (self.color, isBold, isDim, isReversed) = (color, bold, dim, reversed)
  }

  /// Text as it usually is.
  public static let plain = Style()
}

nonisolated extension Canvas {
  /// Draws plain text.
  public mutating func text(_ row: Int, _ column: Int, _ text: String) {
    self.text(row, column, text, .plain)
  }

  /// Draws text in the middle of a row.
  public mutating func centered(_ row: Int, _ text: String, _ style: Style = .plain) {
    self.text(row, max((size.columns - TextWidth.columns(of: text)) / 2, 0), text, style)
  }

  /// Draws a line across the canvas.
  public mutating func rule(_ row: Int, _ style: Style = Style(dim: true)) {
    text(row, 0, String(repeating: "─", count: size.columns), style)
  }

  /// Draws a frame around lines of text in the middle of the canvas, hiding what is below it.
  ///
  /// - Parameters:
  ///   - top: The row of the upper edge; nil for one in the middle.
  ///   - width: The columns for the text; nil for as many as the lines need.
  public mutating func box(
    _ lines: [String], title: String, _ style: Style, top: Int? = nil, width: Int? = nil
  ) {
    let needed = (lines + [title]).map { TextWidth.columns(of: $0) }.max() ?? 0
    let width = max(width ?? 0, needed)
    let top = top ?? max((size.rows - lines.count - 2) / 2, 0)
    let left = max((size.columns - width - 4) / 2, 0)
    let head = title.isEmpty ? "" : " \(title) "
    let bar = String(repeating: "─", count: max(width + 2 - TextWidth.columns(of: head), 0))
    text(top, left, "┌\(head)\(bar)┐", style)
    for (index, line) in lines.enumerated() {
      let padding = String(repeating: " ", count: width - TextWidth.columns(of: line))
      text(top + 1 + index, left, "│ \(line)\(padding) │", style)
    }
    text(top + 1 + lines.count, left, "└\(String(repeating: "─", count: width + 2))┘", style)
  }
}
