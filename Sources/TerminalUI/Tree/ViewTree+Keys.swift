/// The keys of the views, and their help.
extension ViewTree {
  /// Passes a key to the views.
  ///
  /// First to the focused view and those around it, the innermost first; then to bindings of views in which nothing can
  /// have the focus; then Tab moves the focus, and `?` opens the help.
  ///
  /// - Returns: False if the key has no meaning for them.
  package func press(_ key: Key) -> Bool {
    updateIfNeeded()
    // A terminal draws after each key, whether it has a meaning or not.
    noteChange()
    if message != nil {
      message = nil
      needsDrawing()
    }
    if var box = help {
      let area = contentArea
      help = box.scrolled(by: key, rows: area.rows, columns: area.columns) ? box : nil
      needsDrawing()
      return true
    }
    let isHandled = dispatch(key)
    if isHandled { needsDrawing() }
    return isHandled
  }

  private func dispatch(_ key: Key) -> Bool {
    if case .click(let row, let column) = key { return click(row, column, key) }
    let path = path
    if path.contains(where: { $0.pressed(key) }) { return true }
    let others = unfocusable(outside: path) + tabsAroundDialog
    if others.contains(where: { $0.pressed(key) }) { return true }
    switch key {
    case .tab where moveFocus(by: 1), .backTab where moveFocus(by: -1): return true
    case _ where (path + others).contains { ($0 as? KeyNode)?.pressedLast(key) ?? false }: return true
    case .character("?"):
      openHelp()
      return true
    case _ where (focused as? DeferredNode)?.keep(key) ?? false: return true
    case .paste:
      say("pasted text is ignored where no text is edited")
      return true
    default: return false
    }
  }

  private func click(_ row: Int, _ column: Int, _ key: Key) -> Bool {
    var hit: ViewNode?
    func find(_ node: ViewNode) {
      guard node.frame.contains(row: row, column: column) else { return }
      hit = node
      for child in node.children { find(child) }
    }
    find(scope)
    guard let hit else { return false }
    let path = path(from: hit)
    if let node = path.first(where: \.isFocusable) { focus(node) }
    return (path + tabBars(at: row, column)).contains { $0.pressed(key) }
  }

  /// The keys of the tabs around a dialog, which covers one of their screens only.
  private var tabsAroundDialog: [KeyNode] {
    guard scope.leavesTabs else { return [] }
    return Array(sequence(first: scope) { $0.parent }).compactMap { $0 as? KeyNode }.filter(\.isOfTabs)
  }

  /// The bars of these tabs at a position.
  private func tabBars(at row: Int, _ column: Int) -> [ViewNode] {
    var found: [ViewNode] = []
    for tabs in tabsAroundDialog {
      visit(tabs) { if $0 is TabBarNode, $0.frame.contains(row: row, column: column) { found.append($0) } }
    }
    return found
  }

  /// The nodes with bindings in which nothing can have the focus.
  private func unfocusable(outside path: [ViewNode]) -> [ViewNode] {
    var found: [ViewNode] = []
    func visit(_ node: ViewNode) {
      for child in node.children { visit(child) }
      let isInPath = path.contains { $0 === node }
      if !isInPath, node is KeyNode, focusable(in: node).isEmpty { found.append(node) }
    }
    visit(scope)
    return found
  }

  // MARK: Help

  /// The keys that have a meaning now, the most specific first.
  package var bindings: [KeyBinding] {
    // The help box takes all keys.
    if help != nil { return [KeyBinding("up down", "scroll"), KeyBinding("esc", "close")] }
    let path = path
    let isTyping = focused?.takesText ?? false
    let nodes = path + unfocusable(outside: path) + tabsAroundDialog
    var all = nodes.flatMap(\.bindings)
    if focusable(in: scope).count <= 1 { all += nodes.flatMap { ($0 as? KeyNode)?.last ?? [] } }
    all = all.filter { !$0.isCommon } + all.filter(\.isCommon)
    var seen: [Key] = []
    return all.filter { binding in
      guard !(isTyping && binding.isText), !binding.keys.allSatisfy(seen.contains) else { return false }
      seen += binding.keys
      return true
    }
  }

  /// True if `?` opens the help, and other characters are commands as well.
  package var takesCommands: Bool { help == nil && !(focused?.takesText ?? false) }

  private func openHelp() {
    var pairs = bindings.filter { !$0.help.isEmpty }.map { PairsBox.Pair($0.fullName, $0.help) }
    if focusable(in: scope).count > 1 { pairs.append(PairsBox.Pair("tab", "the next part of the screen")) }
    pairs.append(PairsBox.Pair("", ""))
    pairs += [("^L", "draw anew"), ("^Z", "suspend"), ("q, ^D, ^C", "quit")].map { PairsBox.Pair($0.0, $0.1) }
    var tab: String?
    visit(root) { tab = tab ?? ($0 as? TabBarNode)?.title }
    help = OpenBox(box: PairsBox(title: tab.map { "Keys: \($0)" } ?? "Keys", pairs: pairs, columnLimit: 60))
    needsDrawing()
  }
}
