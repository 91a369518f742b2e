extension TerminalView {
  /// Gives all keys to the view while it is on the screen, for example to a line that the user types below a table.
  ///
  /// ```swift
  /// if isAdding {
  ///   TextField(text: $name).onSubmit("add") { … }.key("esc", "cancel") { isAdding = false }.modal()
  /// }
  /// ```
  public func modal() -> some TerminalView { ModalView(content: self) }

  /// Shows the view only on screens with at least so many rows, where there is room for more than the important.
  public func visible(fromRows rows: Int) -> some TerminalView { SpaciousView(content: self, rows: rows) }
}

struct ModalView<Content: TerminalView>: PrimitiveView {
  typealias Body = Never
  let content: Content

  func makeNode() -> ModalNode { ModalNode() }
  func update(_ node: ModalNode) { node.show(content) }
}

/// The node of a view that takes all keys; the tree looks for it.
final class ModalNode: WrapperNode {}

struct SpaciousView<Content: TerminalView>: PrimitiveView {
  typealias Body = Never
  let content: Content
  let rows: Int

  func makeNode() -> SpaciousNode { SpaciousNode() }
  func update(_ node: SpaciousNode) {
    node.rows = rows
    node.show(content)
  }
}

final class SpaciousNode: WrapperNode {
  var rows = 0

  private var isVisible: Bool { (tree?.size.rows ?? 0) >= rows }

  override var children: [ViewNode] { isVisible ? super.children : [] }
  override func widthNeed() -> Need { isVisible ? super.widthNeed() : Need() }
  override func heightNeed(width: Int) -> Need { isVisible ? super.heightNeed(width: width) : Need() }
}
