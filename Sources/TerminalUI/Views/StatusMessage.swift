/// A message in place of the help line; see ``TerminalView/message(_:)``.
public nonisolated final class StatusMessage: Sendable {
  /// The text.
  public let text: String
  /// True for what the user must not miss: it stays until the next key. Others disappear after 5 s as well.
  public let isBad: Bool

  /// Creates a message. Each one is shown, also if it has the text of the last one.
  public init(_ text: String, isBad: Bool = false) { (self.text, self.isBad) = (text, isBad) }
}

extension TerminalView {
  /// Shows a message in place of the help line when there is another one than before.
  ///
  /// ```swift
  /// @ViewState var message: StatusMessage?
  /// …
  /// .key("c", "clear") { if store.isEmpty { message = StatusMessage("nothing to clear") } }
  /// .message(message)
  /// ```
  public func message(_ message: StatusMessage?) -> some TerminalView { MessageView(content: self, message: message) }
}

struct MessageView<Content: TerminalView>: PrimitiveView {
  typealias Body = Never
  let content: Content
  let message: StatusMessage?

  func makeNode() -> MessageNode { MessageNode() }
  func update(_ node: MessageNode) {
    node.show(content)
    node.say(message)
  }
}

final class MessageNode: WrapperNode {
  private var said: StatusMessage?

  func say(_ message: StatusMessage?) {
    if let message, message !== said { tree?.say(message.text, isBad: message.isBad) }
    said = message
  }
}
