/// A view on the screen, with its state, such as a cursor. It exists as long as the view keeps its identity and type.
package class ViewNode {
  package internal(set) weak var parent: ViewNode?
  package internal(set) weak var tree: ViewTree?
  /// The view's place on the screen.
  package internal(set) var frame = Rect.zero

  init() {}

  /// The visible nodes in this one.
  var children: [ViewNode] { [] }
  /// A node over the screen, such as a dialog.
  var overlay: ViewNode? { nil }

  /// The needed columns.
  func widthNeed() -> Need { Need() }
  /// The needed rows at a width.
  func heightNeed(width: Int) -> Need { Need() }

  /// Takes a place on the screen, and gives the children theirs.
  func place(in rect: Rect) { frame = rect }

  /// Draws the node on its own region.
  func draw(on region: inout Region) { drawChildren(on: region) }

  /// True if keys can go to this node.
  var isFocusable: Bool { false }
  /// True if characters are text here, and not commands.
  var takesText: Bool { false }
  /// True if the keys of the tabs around the node keep their meaning, although it covers one of their screens.
  var leavesTabs: Bool { false }
  /// The position of the cursor in a list, from 1, and the length of the list; nil for other nodes and empty lists.
  var listPosition: (position: Int, count: Int)? { nil }
  /// Handles a key; returns false if it has no meaning here. Clicks have coordinates of the screen.
  func pressed(_ key: Key) -> Bool { false }
  /// The keys that have a meaning here, for help.
  var bindings: [KeyBinding] { [] }

  /// Called when the store has refused an action, which may have been one of this node.
  func actionRefused() {}

  /// Called when the node has left the tree.
  func removed() { for child in children { child.removed() } }

  /// True if the node takes the focus before others when the screen appears.
  var wantsFocus: Bool { false }

  final func drawChildren(on region: Region) {
    for child in children where !child.frame.isEmpty {
      var part = region.part(child.frame)
      child.draw(on: &part)
    }
  }

  /// Returns the columns of a text, but no more than the screen has: a text may be long, and each frame asks.
  final func columns(of text: String) -> Int { TextWidth.columns(of: text, upTo: tree?.size.columns ?? 0) }

  /// True if the node has the focus.
  final var isFocused: Bool { tree?.focused === self }

  /// Returns true if another node is this one or in it.
  final func isAround(_ other: ViewNode) -> Bool {
    var next: ViewNode? = other
    while let node = next {
      if node === self { return true }
      next = node.parent
    }
    return false
  }

  /// Lets the screen be drawn again.
  final func needsDrawing() { tree?.needsDrawing() }

  /// Returns the node for a view in this one: the old one, if it is of the same kind.
  final func child(_ view: any TerminalView, replacing old: ViewNode?) -> ViewNode {
    let node = Self.node(view, old)
    if node !== old {
      old?.removed()
      (node.parent, node.tree) = (self, tree)
    }
    Self.show(view, in: node)
    return node
  }

  private static func node(_ view: any TerminalView, _ old: ViewNode?) -> ViewNode {
    if let view = view as? any PrimitiveView { return primitive(view, old) }
    return composite(view, old)
  }

  private static func primitive<View: PrimitiveView>(_ view: View, _ old: ViewNode?) -> ViewNode {
    if let old, type(of: old) == View.Node.self { return old }
    return view.makeNode()
  }

  private static func composite<View: TerminalView>(_ view: View, _ old: ViewNode?) -> ViewNode {
    old as? BodyNode<View> ?? BodyNode<View>(view)
  }

  private static func show(_ view: any TerminalView, in node: ViewNode) {
    if let view = view as? any PrimitiveView { return update(view, node) }
    evaluate(view, node)
  }

  private static func update<View: PrimitiveView>(_ view: View, _ node: ViewNode) {
    guard let node = node as? View.Node else { preconditionFailure("\(node) is not the node of a \(View.self)") }
    view.update(node)
  }

  private static func evaluate<View: TerminalView>(_ view: View, _ node: ViewNode) {
    guard let node = node as? BodyNode<View> else { preconditionFailure("\(node) is not the node of a \(View.self)") }
    node.show(view)
  }
}

/// The node of a view with one view in it, whose place it shares unless a subclass says otherwise.
package class WrapperNode: ViewNode {
  var content: ViewNode?

  func show(_ view: any TerminalView) { content = child(view, replacing: content) }

  override var children: [ViewNode] { content.map { [$0] } ?? [] }
  override func widthNeed() -> Need { content?.widthNeed() ?? Need() }
  override func heightNeed(width: Int) -> Need { content?.heightNeed(width: width) ?? Need() }
  override func place(in rect: Rect) {
    super.place(in: rect)
    content?.place(in: rect)
  }
}

/// The node of a view with a body, which is evaluated again when a value that it has read has changed.
final class BodyNode<View: TerminalView>: WrapperNode, BodyOwner {
  private var view: View
  private let dependencies = Dependencies()

  init(_ view: View) { self.view = view }

  override func show(_ view: any TerminalView) {
    guard let view = view as? View else { return super.show(view) }
    ViewStates.move(from: self.view, to: view)
    self.view = view
    evaluate()
  }

  func evaluate() {
    tree?.isEvaluated(self)
    let view = view
    super.show(dependencies.read(for: self, { view.body }) { [weak self] in self?.tree?.mustEvaluate(self) })
  }

  override func removed() {
    dependencies.forget()
    super.removed()
  }
}

/// The node of a view with a body.
@MainActor
protocol BodyOwner: DependentNode {}

/// A node that evaluates a part of its view again after a change.
@MainActor
protocol DependentNode: ViewNode {
  func evaluate()
}
