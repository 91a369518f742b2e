/// Several screens, of which one is shown. The digits and clicks open one; Tab opens the next and Shift-Tab the previous
/// one, where they do not move the focus. They also leave a dialog, which covers only the screen that shows it.
///
/// ```swift
/// Tabs {
///   Tab("jobs") { JobsView(store: store) }
///   Tab("workers") { WorkersView(store: store) }
/// }
/// ```
///
/// A screen that is not shown is not evaluated, and keeps its cursors and its `@ViewState`.
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
        OpenTabView(tab: "\(index) \(tabs[index].title)", content: tabs[index].content()).expanded()
      }
    }
    KeyView(content: column, bindings: digits(binding), last: neighbours(binding, index), isOfTabs: true)
  }

  private func neighbours(_ binding: StoreBinding<Int>, _ index: Int) -> [KeyBinding] {
    let count = tabs.count
    guard count > 1 else { return [] }
    return [
      KeyBinding("tab", "next", help: "the next screen") { binding.wrappedValue = (index + 1) % count },
      KeyBinding("shift-tab", "", help: "the previous screen") { binding.wrappedValue = (index + count - 1) % count },
    ]
  }

  private func digits(_ binding: StoreBinding<Int>) -> [KeyBinding] {
    guard tabs.count > 1 else { return [] }
    let indices = tabs.indices.prefix(9)
    let names = indices.map { "\($0 + 1)" }
    // One line of the help for all of them.
    let all = KeyBinding(names.joined(separator: " "), "", help: "the screen with this number")
    return [all] + zip(names, indices).map { name, index in KeyBinding(name, "") { binding.wrappedValue = index } }
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

/// The screen of the open tab. Those of the others are kept.
struct OpenTabView: PrimitiveView {
  typealias Body = Never
  let tab: String
  let content: ViewGroup

  func makeNode() -> OpenTabNode { OpenTabNode() }
  func update(_ node: OpenTabNode) { node.show(content, of: tab) }
}

final class OpenTabNode: WrapperNode {
  private var tab = ""
  private var hidden: [String: ViewNode] = [:]

  func show(_ view: ViewGroup, of tab: String) {
    if tab != self.tab, let content {
      // It observes nothing until it is shown again.
      content.removed()
      hidden[self.tab] = content
      self.content = hidden.removeValue(forKey: tab)
    }
    self.tab = tab
    show(view)
  }
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
  /// The title of the open tab.
  var title: String? { bar.titles.indices.contains(bar.selected) ? bar.titles[bar.selected] : nil }

  override func draw(on region: inout Region) {
    let used = bar.draw(0, on: &region)
    // A low screen has no other line for it.
    if let tree, tree.size.rows < PositionRule.minimumRows { region.drawPosition(tree.listPosition, after: used) }
  }

  override func pressed(_ key: Key) -> Bool {
    guard case .click(_, let column) = key, let tab = bar.tab(at: column - frame.column, columns: frame.columns) else {
      return false
    }
    open(tab)
    return true
  }
}
