/// A view that is there later, for example when a hub has sent what it shows. Until then, another view is in its place.
///
/// Keys that are pressed meanwhile take effect when the view is there: what is typed quickly must not lose its beginning,
/// because the rest would be other commands. Keys with a meaning around the view, such as those of ``Tabs``, keep it until
/// a key is kept. Esc forgets the keys.
///
/// ```swift
/// Deferred(isReady: model.todos != nil) {
///   TodosView(model.todos)
/// } placeholder: {
///   Text("loading …")
/// }
/// ```
public struct Deferred: TerminalView {
  public typealias Body = Never
  let isReady: Bool
  let content: ViewGroup

  /// Creates a view.
  ///
  /// - Parameters:
  ///   - isReady: True if the view can be shown.
  ///   - content: The view.
  ///   - placeholder: The view in its place until then.
  public init(
    isReady: Bool, @TerminalViewBuilder content: () -> ViewGroup, @TerminalViewBuilder placeholder: () -> ViewGroup
  ) {
    self.isReady = isReady
    self.content = isReady ? content().prefixed(by: .branch(true)) : placeholder().prefixed(by: .branch(false))
  }
}

extension Deferred: PrimitiveView {
  package func makeNode() -> DeferredNode { DeferredNode() }
  package func update(_ node: DeferredNode) { node.show(content, isReady: isReady) }
}

package final class DeferredNode: WrapperNode {
  private static let keyLimit = 1000

  private var isReady = false
  private var keys: [Key] = []

  func show(_ view: ViewGroup, isReady: Bool) {
    self.isReady = isReady
    show(view)
    guard isReady, !keys.isEmpty else { return }
    tree?.pressLater(keys)
    keys = []
  }

  override var isFocusable: Bool { !isReady }
  override var takesText: Bool { !keys.isEmpty }

  override func pressed(_ key: Key) -> Bool { keys.isEmpty ? false : keep(key) }

  /// Keeps a key that has no meaning around the view.
  func keep(_ key: Key) -> Bool {
    // These end the program.
    if isReady || keys.isEmpty && [.character("q"), .control("d")].contains(key) { return false }
    if key == .escape {
      keys = []
    } else if keys.count < Self.keyLimit {
      keys.append(key)
    } else {
      tree?.say(
        "only the first \(Self.keyLimit) keys are kept while this is loading; esc discards them", isBad: true)
    }
    return true
  }
}
