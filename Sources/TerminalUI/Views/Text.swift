/// Text, which is broken into lines where it does not fit.
///
/// ```swift
/// Text("\(store.count) waiting").bold().color(.yellow)
/// ```
public struct Text: TerminalView {
  public typealias Body = Never

  /// The place of lines in a wider view.
  public enum Alignment: Sendable {
    /// At the left edge.
    case leading
    /// In the middle.
    case center
    /// At the right edge.
    case trailing
  }

  let string: String
  var style = Style.plain
  var alignment = Alignment.leading
  var lineLimit: Int?

  /// Creates a text.
  public init(_ string: String) { self.string = string }

  /// Creates a text from that of an alert or a button.
  public init(_ text: TextState) { string = String(state: text) }

  private func with(_ change: (inout Text) -> Void) -> Text {
    var text = self
    change(&text)
    return text
  }

  /// Makes the text bold.
  public func bold(_ isBold: Bool = true) -> Text { with { $0.style.isBold = isBold } }
  /// Makes the text dim.
  public func dim(_ isDim: Bool = true) -> Text { with { $0.style.isDim = isDim } }
  /// Swaps the colours of text and background.
  public func reversed(_ isReversed: Bool = true) -> Text { with { $0.style.isReversed = isReversed } }
  /// Sets the colour.
  public func color(_ color: Style.Color) -> Text { with { $0.style.color = color } }
  /// Sets the whole style.
  public func style(_ style: Style) -> Text { with { $0.style = style } }
  /// Sets the place of the lines in a wider view.
  public func aligned(_ alignment: Alignment) -> Text { with { $0.alignment = alignment } }
  /// Limits the lines; longer text ends in an ellipsis.
  public func lineLimit(_ count: Int) -> Text { with { $0.lineLimit = count } }
}

extension Text: PrimitiveView {
  package func makeNode() -> TextNode { TextNode() }
  package func update(_ node: TextNode) { node.text = self }
}

package final class TextNode: ViewNode {
  /// More lines than any screen has.
  private static let lineLimit = 1000

  var text = Text("") {
    didSet { (paragraphs, measured) = (Self.paragraphs(of: text.string), nil) }
  }
  /// The text's own lines: each frame needs them.
  private var paragraphs: [String] = []
  /// The number of lines at the width that was last asked for.
  private var measured: (width: Int, lines: Int)?

  private static func paragraphs(of text: String) -> [String] {
    text.split(separator: "\n", maxSplits: lineLimit, omittingEmptySubsequences: false).prefix(lineLimit)
      .map { String($0) }
  }

  override func widthNeed() -> Need {
    let width = paragraphs.map { columns(of: $0) }.max() ?? 0
    return Need(minimum: min(width, 1), ideal: width, grows: text.alignment != .leading)
  }

  override func heightNeed(width: Int) -> Need {
    let all = measured.flatMap { $0.width == width ? $0.lines : nil } ?? lines(width, limit: Self.lineLimit).count
    measured = (width, all)
    let count = min(all, text.lineLimit ?? .max)
    return Need(minimum: min(count, 1), ideal: count)
  }

  private func lines(_ columns: Int, limit: Int) -> [String] {
    var lines: [String] = []
    for paragraph in paragraphs where lines.count < limit {
      if TextWidth.fit(paragraph, columns: columns) == paragraph {
        lines.append(paragraph)
      } else {
        lines += TextWidth.wrap(paragraph, columns: columns, lines: limit - lines.count)
      }
    }
    return lines
  }

  override func draw(on region: inout Region) {
    let columns = region.size.columns
    for (row, line) in lines(columns, limit: min(region.size.rows, text.lineLimit ?? .max)).enumerated() {
      let room = columns - TextWidth.columns(of: line)
      let column =
        switch text.alignment {
        case .leading: 0
        case .center: room / 2
        case .trailing: room
        }
      region.text(row, max(column, 0), line, text.style)
    }
  }
}
