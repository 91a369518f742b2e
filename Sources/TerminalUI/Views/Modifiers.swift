extension TerminalView {
  /// Sets the style of all text in the view, where it has none of its own.
  public func style(_ style: Style) -> some TerminalView { StyledView(content: self, style: style) }
  /// Sets the style of all text in the view, which is read when the view is drawn.
  package func style(_ style: @escaping () -> Style) -> some TerminalView {
    DynamicallyStyledView(content: self, style: style)
  }
  /// Makes all text in the view bold.
  public func bold(_ isBold: Bool = true) -> some TerminalView { style(Style(bold: isBold)) }
  /// Makes all text in the view dim, for example because it may be old.
  public func dim(_ isDim: Bool = true) -> some TerminalView { style(Style(dim: isDim)) }
  /// Sets the colour of all text in the view that has none of its own.
  public func color(_ color: Style.Color) -> some TerminalView { style(Style(color)) }

  /// Sets the number of columns, of rows, or of both. A terminal that is too small still cuts the view off.
  public func frame(width: Int? = nil, height: Int? = nil) -> some TerminalView {
    FramedView(content: self, width: width.map { .exactly($0) }, height: height.map { .exactly($0) })
  }

  /// Sets the number of rows; a small terminal may leave only the one that the view cannot do without, because it scrolls.
  package func frame(upToRows rows: Int) -> some TerminalView {
    FramedView(content: self, width: nil, height: Need(minimum: 1, ideal: rows))
  }

  /// Lets the view take all the room that others leave.
  public func expanded() -> some TerminalView {
    FramedView(content: self, width: Need(grows: true), height: Need(grows: true))
  }

  /// Leaves empty cells around the view.
  public func padding(rows: Int = 0, columns: Int = 1) -> some TerminalView {
    PaddedView(content: self, rows: rows, columns: columns, title: nil)
  }

  /// Draws a frame with a title around the view.
  public func border(_ title: String = "") -> some TerminalView {
    PaddedView(content: self, rows: 1, columns: 2, title: title)
  }
}

struct StyledView<Content: TerminalView>: PrimitiveView {
  typealias Body = Never
  let content: Content
  let style: Style

  func makeNode() -> StyledNode { StyledNode() }
  func update(_ node: StyledNode) {
    node.style = style
    node.show(content)
  }
}

final class StyledNode: WrapperNode {
  var style = Style.plain

  override func draw(on region: inout Region) { drawChildren(on: region.styled(style)) }
}

struct DynamicallyStyledView<Content: TerminalView>: PrimitiveView {
  typealias Body = Never
  let content: Content
  let style: () -> Style

  func makeNode() -> DynamicallyStyledNode { DynamicallyStyledNode() }
  func update(_ node: DynamicallyStyledNode) {
    node.style = style
    node.show(content)
  }
}

final class DynamicallyStyledNode: WrapperNode {
  var style: () -> Style = { .plain }
  private let dependencies = Dependencies()

  override func draw(on region: inout Region) {
    drawChildren(on: region.styled(dependencies.read(for: self, style, invalidate: {})))
  }

  override func removed() {
    dependencies.forget()
    super.removed()
  }
}

struct FramedView<Content: TerminalView>: PrimitiveView {
  typealias Body = Never
  let content: Content
  let width: Need?
  let height: Need?

  func makeNode() -> FramedNode { FramedNode() }
  func update(_ node: FramedNode) {
    (node.width, node.height) = (width, height)
    node.show(content)
  }
}

final class FramedNode: WrapperNode {
  var width: Need?
  var height: Need?

  override func widthNeed() -> Need { need(width, super.widthNeed()) }
  override func heightNeed(width: Int) -> Need { need(height, super.heightNeed(width: width)) }

  private func need(_ own: Need?, _ content: Need) -> Need {
    guard let own else { return content }
    return own.grows ? Need(minimum: content.minimum, ideal: content.ideal, grows: true) : own
  }
}

struct PaddedView<Content: TerminalView>: PrimitiveView {
  typealias Body = Never
  let content: Content
  let rows: Int
  let columns: Int
  /// The title of the frame; nil without a frame.
  let title: String?

  func makeNode() -> PaddedNode { PaddedNode() }
  func update(_ node: PaddedNode) {
    (node.rows, node.columns, node.title) = (rows, columns, title)
    node.show(content)
  }
}

final class PaddedNode: WrapperNode {
  var rows = 0
  var columns = 0
  var title: String?

  override func widthNeed() -> Need { padded(super.widthNeed(), by: 2 * columns) }
  override func heightNeed(width: Int) -> Need {
    padded(super.heightNeed(width: max(width - 2 * columns, 0)), by: 2 * rows)
  }

  private func padded(_ need: Need, by number: Int) -> Need {
    // In a small terminal, the content is more important.
    Need(minimum: need.minimum, ideal: need.ideal + number, grows: need.grows)
  }

  /// The rows that content is given rather than a frame, if it needs so many; with more of them it can be scrolled.
  private static let rowLimit = 3
  private var hasRoom = false

  /// Returns true if there is room for the frame as well as for the content.
  private func hasRoom(_ size: CanvasSize) -> Bool {
    guard size.rows > 2 * rows, size.columns > 2 * columns else { return false }
    return size.rows - 2 * rows >= min(super.heightNeed(width: size.columns - 2 * columns).minimum, Self.rowLimit)
  }

  override func place(in rect: Rect) {
    frame = rect
    hasRoom = hasRoom(rect.size)
    content?.place(in: hasRoom ? rect.inset(rows: rows, columns: columns) : rect)
  }

  override func draw(on region: inout Region) {
    if let title, hasRoom { region.frame(title: title) }
    drawChildren(on: region)
  }
}

extension Region {
  /// Draws a frame at the edges.
  mutating func frame(title: String) {
    let (rows, columns) = (size.rows, size.columns)
    let head = title.isEmpty ? "" : TextWidth.fit(" \(title) ", columns: columns - 2)
    let bar = String(repeating: "─", count: max(columns - 2 - TextWidth.columns(of: head), 0))
    text(0, 0, "┌\(head)\(bar)┐", Style(dim: true))
    for row in 1..<max(rows - 1, 1) {
      text(row, 0, "│", Style(dim: true))
      text(row, columns - 1, "│", Style(dim: true))
    }
    text(rows - 1, 0, "└\(String(repeating: "─", count: columns - 2))┘", Style(dim: true))
  }
}
