/// A surface for drawing text: a terminal, or a grid in memory.
public nonisolated protocol Canvas {
  /// The number of rows and columns.
  var size: CanvasSize { get }

  /// Draws text in one row, starting at a column. Text beyond the canvas is cut off.
  mutating func text(_ row: Int, _ column: Int, _ text: String, _ style: Style)
}

/// A number of rows and columns.
public nonisolated struct CanvasSize: Equatable, Sendable {
  /// The number of rows.
  public var rows: Int
  /// The number of columns.
  public var columns: Int

  /// Creates a size.
  public init(rows: Int, columns: Int) {
    (self.rows, self.columns) = (rows, columns)
  }
}

/// The style of text. On a terminal without colours, the other attributes are kept.
public nonisolated struct Style: Equatable, Sendable {
  /// The colours that every terminal has.
  public enum Color: Int16, Sendable, CaseIterable {
    /// The colour of text without one.
    case standard
    /// The terminal's colour of this name.
    case red, green, yellow, blue, cyan
  }

  /// The colour.
  public var color = Color.standard
  /// True if the text is bold.
  public var isBold = false
  /// True if the text is dim.
  public var isDim = false
  /// True if text and background colours are swapped.
  public var isReversed = false

  /// Creates a style.
  public init(_ color: Color = .standard, bold: Bool = false, dim: Bool = false, reversed: Bool = false) {
    (self.color, isBold, isDim, isReversed) = (color, bold, dim, reversed)
  }

  /// The style without any attributes.
  public static let plain = Style()

  /// Returns the style within another one: its own colour, or else the other one's, and the attributes of both.
  public func within(_ outer: Style) -> Style {
    Style(
      color == .standard ? outer.color : color, bold: isBold || outer.isBold, dim: isDim || outer.isDim,
      reversed: isReversed != outer.isReversed)
  }
}

nonisolated extension Style: CustomStringConvertible {
  /// The attributes and the colour, such as `bold,red`; `plain` without any.
  public var description: String {
    let words = [
      isBold ? "bold" : nil, isDim ? "dim" : nil, isReversed ? "reversed" : nil, color == .standard ? nil : "\(color)",
    ]
    return words.allSatisfy { $0 == nil } ? "plain" : words.compactMap { $0 }.joined(separator: ",")
  }
}

nonisolated extension Canvas {
  /// Draws plain text.
  public mutating func text(_ row: Int, _ column: Int, _ text: String) {
    self.text(row, column, text, .plain)
  }

  /// Draws centered text in a row.
  public mutating func centered(_ row: Int, _ text: String, _ style: Style = .plain) {
    self.text(row, max((size.columns - TextWidth.columns(of: text)) / 2, 0), text, style)
  }

  /// Draws a line across the canvas.
  public mutating func rule(_ row: Int, _ style: Style = Style(dim: true)) {
    text(row, 0, String(repeating: "─", count: size.columns), style)
  }

  /// Draws a centered frame around lines of text, over anything below it.
  ///
  /// - Parameters:
  ///   - lines: The text.
  ///   - title: The title in the upper edge.
  ///   - style: The style of the frame and the text.
  ///   - top: The row of the upper edge; nil for the middle.
  ///   - width: The columns for the text; nil for the width of the lines.
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
