/// Several screens, of which one is shown. The digits and clicks open one; Tab opens the next, where it does not move
/// the focus.
///
/// ```swift
/// Tabs {
///   Tab("jobs") { JobsView(store: store) }
///   Tab("workers") { WorkersView(store: store) }
/// }
/// ```
///
/// A screen that is not shown is not evaluated, and loses its cursors.
public struct Tabs: TerminalView {
  @ViewState private var own = 0
  private let selection: StoreBinding<Int>?
  private let tabs: [Tab]

  /// Creates tabs.
  ///
  /// - Parameters:
  ///   - selection: The index of the open tab; nil if nothing else depends on it.
  ///   - tabs: The tabs.
  public init(selection: StoreBinding<Int>? = nil, @TabBuilder tabs: () -> [Tab]) {
    (self.selection, self.tabs) = (selection, tabs())
  }

  /// The bar and the open screen.
  public var body: some TerminalView {
    let binding = selection ?? $own
    let index = max(min(binding.wrappedValue, tabs.count - 1), 0)
    let column = Column {
      TabBarView(titles: tabs.map(\.title), selected: index) { binding.wrappedValue = $0 }
      if tabs.indices.contains(index) {
        ForEach([index], id: \.self) { tabs[$0].content() }.expanded()
      }
    }
    KeyView(
      content: column, bindings: digits(binding),
      last: tabs.count > 1 ? [KeyBinding("tab", "next") { binding.wrappedValue = (index + 1) % tabs.count }] : [])
  }

  private func digits(_ binding: StoreBinding<Int>) -> [KeyBinding] {
    guard tabs.count > 1 else { return [] }
    return tabs.indices.prefix(9).map { index in
      KeyBinding("\(index + 1)", "", help: tabs[index].title) { binding.wrappedValue = index }
    }
  }
}

/// A screen of ``Tabs``.
public struct Tab {
  let title: String
  let content: () -> ViewGroup

  /// Creates a screen.
  public init(_ title: String, @TerminalViewBuilder content: @escaping () -> ViewGroup) {
    (self.title, self.content) = (title, content)
  }
}

/// Builds the screens of ``Tabs``.
@resultBuilder
public enum TabBuilder {
  /// A screen.
  public static func buildExpression(_ tab: Tab) -> [Tab] { [tab] }
  /// Several screens.
  public static func buildExpression(_ tabs: [Tab]) -> [Tab] { tabs }
  /// The screens of a block.
  public static func buildBlock(_ tabs: [Tab]...) -> [Tab] { tabs.flatMap { $0 } }
  /// Screens that may be absent.
  public static func buildOptional(_ tabs: [Tab]?) -> [Tab] { tabs ?? [] }
  /// The first branch.
  public static func buildEither(first tabs: [Tab]) -> [Tab] { tabs }
  /// The second branch.
  public static func buildEither(second tabs: [Tab]) -> [Tab] { tabs }
  /// A loop.
  public static func buildArray(_ tabs: [[Tab]]) -> [Tab] { tabs.flatMap { $0 } }
}

struct TabBarView: PrimitiveView {
  typealias Body = Never
  let titles: [String]
  let selected: Int
  let open: (Int) -> Void

  func makeNode() -> TabBarNode { TabBarNode() }
  func update(_ node: TabBarNode) { (node.bar, node.open) = (TabBar(titles, selected: selected), open) }
}

final class TabBarNode: ViewNode {
  var bar = TabBar([], selected: 0)
  var open: (Int) -> Void = { _ in }

  override func widthNeed() -> Need { Need(minimum: 1, ideal: 20, grows: true) }
  override func heightNeed(width: Int) -> Need { .exactly(1) }
  override func draw(on region: inout Region) { bar.draw(0, on: &region) }

  override func pressed(_ key: Key) -> Bool {
    guard case .click(_, let column) = key, let tab = bar.tab(at: column - frame.column, columns: frame.columns) else {
      return false
    }
    open(tab)
    return true
  }
}
