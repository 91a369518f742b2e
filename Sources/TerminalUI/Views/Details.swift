extension TerminalView {
  /// Shows names and texts in a box over the screen, for example all about the selected element. The arrow keys scroll it;
  /// any other key closes it.
  ///
  /// - Parameters:
  ///   - details: The box; nil to show none.
  ///   - close: Called when the user closes it.
  public func details(_ details: Details?, close: @escaping () -> Void) -> some TerminalView {
    DetailsView(content: self, details: details, close: close)
  }
}

/// Names and their texts in a box; see ``TerminalView/details(_:close:)``.
public nonisolated struct Details: Equatable, Sendable {
  let box: PairsBox

  /// Creates a box.
  ///
  /// - Parameters:
  ///   - title: The title in the frame.
  ///   - pairs: The names and the texts, which are broken into lines; a pair of empty ones is an empty line.
  ///   - columnLimit: The maximum number of columns of a line.
  public init(_ title: String, _ pairs: [(name: String, text: String)], columnLimit: Int = 70) {
    box = PairsBox(
      title: title, pairs: pairs.map { PairsBox.Pair($0.name, $0.text) }, columnLimit: columnLimit)
  }
}

struct DetailsView<Content: TerminalView>: PrimitiveView {
  typealias Body = Never
  let content: Content
  let details: Details?
  let close: () -> Void

  func makeNode() -> OverlaidNode { OverlaidNode() }

  func update(_ node: OverlaidNode) {
    node.show(content)
    node.present(details.map { DetailsBox(box: $0.box, close: close) })
  }
}

private struct DetailsBox: PrimitiveView {
  typealias Body = Never
  let box: PairsBox
  let close: () -> Void

  func makeNode() -> DetailsNode { DetailsNode(OpenBox(box: box)) }
  func update(_ node: DetailsNode) { (node.open.box, node.close) = (box, close) }
}

private final class DetailsNode: ViewNode {
  var open: OpenBox
  var close: () -> Void = {}

  init(_ open: OpenBox) { self.open = open }

  override var isFocusable: Bool { true }
  /// No character is a command.
  override var takesText: Bool { true }
  override var bindings: [KeyBinding] { [KeyBinding("up down", "scroll"), KeyBinding("esc", "close")] }

  override func draw(on region: inout Region) { open.box.draw(from: open.line, in: 0..<region.size.rows, on: &region) }

  override func pressed(_ key: Key) -> Bool {
    if !open.scrolled(by: key, rows: frame.rows, columns: frame.columns) { close() }
    return true
  }
}
