/// The last line of a screen: the keys that have a meaning now, or a message.
///
/// `TerminalApp` and ``TerminalTester`` add it; a view inside of them needs none of its own.
public struct HelpLine: TerminalView {
  public typealias Body = Never

  /// Creates a line.
  public init() {}
}

extension HelpLine: PrimitiveView {
  package func makeNode() -> HelpLineNode { HelpLineNode() }
  package func update(_ node: HelpLineNode) {}
}

package final class HelpLineNode: ViewNode {
  override func widthNeed() -> Need { Need(minimum: 1, ideal: 20, grows: true) }
  override func heightNeed(width: Int) -> Need {
    guard let message = tree?.message else { return .exactly(1) }
    // A long message takes several lines.
    return .exactly(max(TextWidth.wrap(message.text, columns: width, lines: 4).count, 1))
  }

  override func draw(on region: inout Region) {
    guard let tree else { return }
    let size = region.size
    if let message = tree.message {
      let lines = TextWidth.wrap(message.text, columns: size.columns, lines: size.rows)
      for (row, line) in lines.enumerated() {
        region.text(row, 0, line, Style(message.isBad ? .red : .yellow, bold: true))
      }
      return
    }
    let bindings = tree.bindings.filter { !$0.label.isEmpty }.map { ($0.name, $0.label) }
    let last = tree.takesCommands ? [("?", "help"), ("q", "quit")] : []
    region.text(0, 0, HelpLineText.text(bindings, last: last, columns: size.columns), Style(dim: true))
  }
}

/// The screen of a program: a title, the content, and the help line, which has its row before the content has more than
/// one. Dialogs and help appear over the content.
package struct ScreenLayout<Title: TerminalView, Content: TerminalView>: TerminalView {
  let title: Title
  let content: Content

  /// Creates a screen.
  package init(title: Title, content: Content) { (self.title, self.content) = (title, content) }

  package var body: some TerminalView {
    Column {
      title
      ContentArea(content: content).expanded()
      HelpLine()
    }
  }
}

private struct ContentArea<Content: TerminalView>: PrimitiveView {
  typealias Body = Never
  let content: Content

  func makeNode() -> ContentAreaNode { ContentAreaNode() }
  func update(_ node: ContentAreaNode) { node.show(content) }
}
