extension TerminalView {
  /// Gives keys a meaning while the focus is in the view, or always if nothing in it can have the focus.
  ///
  /// ```swift
  /// .key("a", "add") { store.send(.addButtonTapped) }
  /// .key("+ up", "count up") { store.send(.incrementButtonTapped) }
  /// ```
  ///
  /// The help line and the help box show it.
  ///
  /// - Parameters:
  ///   - names: The names of the keys (see `Key.init(name:)`), separated by spaces.
  ///   - label: A word or two for the help line; empty to show it only in the help box.
  ///   - others: Further keys with the same meaning, which only the help box shows.
  ///   - help: The meaning in the help box; the label, if it is nil.
  ///   - isEnabled: False if the keys have no meaning now.
  ///   - action: Called when one of the keys is pressed.
  public func key(
    _ names: String, _ label: String, also others: String = "", help: String? = nil, isEnabled: Bool = true,
    perform action: @escaping () -> Void
  ) -> some TerminalView {
    let binding = KeyBinding(names, label, also: others, help: help, action: action)
    return KeyView(content: self, bindings: isEnabled ? [binding] : [])
  }

  /// Gives keys meanings that are known only when the program runs, such as those of a configuration.
  public func keys(_ bindings: [KeyBinding]) -> some TerminalView { KeyView(content: self, bindings: bindings) }
}

struct KeyView<Content: TerminalView>: PrimitiveView {
  typealias Body = Never
  let content: Content
  let bindings: [KeyBinding]
  /// The bindings that have a meaning only if nothing else takes their keys, and Tab has no focus to move.
  var last: [KeyBinding] = []
  /// True for the keys of tabs, which a dialog of one of the tabs leaves their meaning.
  var isOfTabs = false

  func makeNode() -> KeyNode { KeyNode() }
  func update(_ node: KeyNode) {
    (node.own, node.last, node.isOfTabs) = (bindings, last, isOfTabs)
    node.show(content)
  }
}

final class KeyNode: WrapperNode {
  var own: [KeyBinding] = []
  var last: [KeyBinding] = []
  var isOfTabs = false

  override var bindings: [KeyBinding] { own }
  override func pressed(_ key: Key) -> Bool { perform(key, own) }

  /// Handles a key that has no other meaning.
  func pressedLast(_ key: Key) -> Bool { perform(key, last) }

  private func perform(_ key: Key, _ bindings: [KeyBinding]) -> Bool {
    let binding = bindings.first { $0.action != nil && $0.keys.contains(key) }
    guard let action = binding?.action else { return false }
    action()
    return true
  }
}
