/// Content that may be longer than the screen, scrolled by the arrow keys, Page Up and Page Down, Home and End, and the
/// wheel. It stays with a view in it that has the focus.
///
/// All of the content is evaluated; for many elements, use `List`.
public struct ScrollView: TerminalView {
  public typealias Body = Never
  let content: ViewGroup

  /// Creates a view that scrolls.
  public init(@TerminalViewBuilder content: () -> ViewGroup) { self.content = content() }
}

extension ScrollView: PrimitiveView {
  package func makeNode() -> ScrollNode { ScrollNode() }
  package func update(_ node: ScrollNode) { node.show(content) }
}

package final class ScrollNode: WrapperNode {
  /// The first visible row of the content.
  private var first = 0
  private var contentRows = 0

  private var last: Int { max(contentRows - frame.rows, 0) }

  override var isFocusable: Bool { last > 0 }

  override func heightNeed(width: Int) -> Need {
    let need = super.heightNeed(width: width)
    return Need(minimum: min(need.minimum, 1), ideal: need.ideal, grows: need.grows)
  }

  override func place(in rect: Rect) {
    frame = rect
    contentRows = super.heightNeed(width: rect.columns).ideal
    placeContent()
    if let focused = tree?.focused, focused !== self, isAround(focused) {
      let top = focused.frame.row - rect.row + first
      first = max(min(first, top), min(top + focused.frame.rows - rect.rows, top))
      placeContent()
    }
  }

  private func placeContent() {
    first = max(min(first, last), 0)
    content?.place(
      in: Rect(
        row: frame.row - first, column: frame.column, rows: max(contentRows, frame.rows), columns: frame.columns))
  }

  override var bindings: [KeyBinding] {
    last > 0
      ? [.common("up down", "scroll"), .common("pageup pagedown home end", "", help: "a screenful, the ends")]
      : []
  }

  override func pressed(_ key: Key) -> Bool {
    guard last > 0 else { return false }
    switch key {
    case .up: first -= 1
    case .down: first += 1
    case .wheelUp: first -= 3
    case .wheelDown: first += 3
    case .pageUp: first -= frame.rows
    case .pageDown: first += frame.rows
    case .home: first = 0
    case .end: first = last
    default: return false
    }
    first = max(min(first, last), 0)
    return true
  }
}
