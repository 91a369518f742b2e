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
    let others = unfocusable(outside: path)
    if others.contains(where: { $0.pressed(key) }) { return true }
    switch key {
    case .tab where moveFocus(by: 1), .backTab where moveFocus(by: -1): return true
    case _ where (path + others).contains { ($0 as? KeyNode)?.pressedLast(key) ?? false }: return true
    case .character("?"):
      openHelp()
      return true
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
    return path.contains { $0.pressed(key) }
  }

  /// The nodes with bindings in which nothing can have the focus.
  private func unfocusable(outside path: [ViewNode]) -> [ViewNode] {
    var found: [ViewNode] = []
    func visit(_ node: ViewNode) {
      let isInPath = path.contains { $0 === node }
      if !isInPath, node is KeyNode, focusable(in: node).isEmpty { found.append(node) }
      for child in node.children { visit(child) }
    }
    visit(scope)
    return found
  }

  // MARK: Help

  /// The keys that have a meaning now, the most specific first.
  package var bindings: [KeyBinding] {
    let path = path
    let isTyping = focused?.takesText ?? false
    let nodes = path + unfocusable(outside: path)
    var all = nodes.flatMap(\.bindings)
    if focusable(in: scope).count <= 1 { all += nodes.flatMap { ($0 as? KeyNode)?.last ?? [] } }
    var seen: [Key] = []
    return all.filter { binding in
      guard !(isTyping && binding.isText), !binding.keys.allSatisfy(seen.contains) else { return false }
      seen += binding.keys
      return true
    }
  }

  /// True if `?` opens the help, and other characters are commands as well.
  package var takesCommands: Bool { !(focused?.takesText ?? false) }

  private func openHelp() {
    var pairs = bindings.filter { !$0.help.isEmpty }.map { PairsBox.Pair($0.name, $0.help) }
    if focusable(in: scope).count > 1 { pairs.append(PairsBox.Pair("tab", "the next part of the screen")) }
    pairs.append(PairsBox.Pair("", ""))
    pairs += [("^L", "draw anew"), ("^Z", "suspend"), ("q, ^D, ^C", "quit")].map { PairsBox.Pair($0.0, $0.1) }
    help = OpenBox(box: PairsBox(title: "Keys", pairs: pairs))
    needsDrawing()
  }
}
