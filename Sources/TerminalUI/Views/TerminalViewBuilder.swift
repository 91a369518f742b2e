/// Builds the content of a view from statements: views, `if`, `switch` and `for`.
@MainActor
@resultBuilder
public enum TerminalViewBuilder {
  /// A view.
  public static func buildExpression(_ view: some TerminalView) -> ViewGroup { ViewGroup(view) }
  /// A view that may be absent.
  public static func buildExpression(_ view: (some TerminalView)?) -> ViewGroup {
    view.map { ViewGroup($0) } ?? ViewGroup()
  }
  /// The content of a block.
  public static func buildBlock(_ groups: ViewGroup...) -> ViewGroup { ViewGroup(groups) }
  /// An `if` without `else`.
  public static func buildOptional(_ group: ViewGroup?) -> ViewGroup { group ?? ViewGroup() }
  /// The first branch.
  public static func buildEither(first group: ViewGroup) -> ViewGroup { group.prefixed(by: .branch(true)) }
  /// The second branch.
  public static func buildEither(second group: ViewGroup) -> ViewGroup { group.prefixed(by: .branch(false)) }
  /// A loop. Views keep their states by their positions; ``ForEach`` keeps them by ids.
  public static func buildArray(_ groups: [ViewGroup]) -> ViewGroup { ViewGroup(groups) }
  /// Content with a limited availability.
  public static func buildLimitedAvailability(_ group: ViewGroup) -> ViewGroup { group }
}

/// Views in the order in which a builder lists them.
///
/// Each has an identity: its place in the structure of the builder, and the ids of ``ForEach``. A view keeps its state,
/// such as a cursor, as long as its identity and its type stay the same.
public struct ViewGroup: TerminalView {
  public typealias Body = Never

  /// A step of a view's identity.
  enum Step: Hashable {
    case position(Int)
    case branch(Bool)
    case id(AnyHashable)
  }

  /// A view with its identity.
  struct Member {
    var path: [Step]
    var view: any TerminalView
  }

  var members: [Member] = []

  init() {}

  init(_ view: any TerminalView) {
    members = (view as? any GroupView)?.group.members ?? [Member(path: [], view: view)]
  }

  init(_ groups: [ViewGroup]) {
    if groups.count == 1 {
      members = groups[0].members
      return
    }
    for (index, group) in groups.enumerated() { members += group.prefixed(by: .position(index)).members }
  }

  func prefixed(by step: Step) -> ViewGroup {
    var group = self
    for index in group.members.indices { group.members[index].path.insert(step, at: 0) }
    return group
  }
}

/// A view that stands for several views of the container that it is in.
protocol GroupView {
  @MainActor var group: ViewGroup { get }
}

extension ViewGroup: GroupView {
  var group: ViewGroup { self }
}

/// One view for each element of a collection. For many elements, use `List` or ``Table``, which read only the visible
/// ones.
public struct ForEach<ID: Hashable>: TerminalView, GroupView {
  public typealias Body = Never
  let group: ViewGroup

  /// Creates views for elements, with a key path to their ids.
  public init<Data: Collection>(
    _ data: Data, id: KeyPath<Data.Element, ID>, @TerminalViewBuilder content: (Data.Element) -> ViewGroup
  ) {
    var group = ViewGroup()
    for element in data {
      group.members += content(element).prefixed(by: .id(AnyHashable(element[keyPath: id]))).members
    }
    self.group = group
  }

  /// Creates views for elements with ids.
  public init<Data: Collection>(_ data: Data, @TerminalViewBuilder content: (Data.Element) -> ViewGroup)
  where Data.Element: Identifiable, Data.Element.ID == ID {
    self.init(data, id: \.id, content: content)
  }
}

extension ForEach: PrimitiveView {
  package func makeNode() -> StackNode { StackNode(axis: .vertical) }
  package func update(_ node: StackNode) { node.show(group) }
}

extension ViewGroup: PrimitiveView {
  package func makeNode() -> StackNode { StackNode(axis: .vertical) }
  package func update(_ node: StackNode) { node.show(self) }
}
