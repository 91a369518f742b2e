/// The views on a screen: evaluates what has changed, gives them places, draws them, and passes keys to them.
///
/// It does no I/O. `TerminalHost` runs it in a terminal, ``TerminalTester`` in tests.
package final class ViewTree {
  /// A message in place of the help line, until the next key. What is not bad also disappears by itself.
  package struct Message: Equatable {
    static let duration = Duration.seconds(5)

    package var text: String
    package var isBad: Bool
    var end: Duration?
  }

  /// The maximum number of bodies that are evaluated for one frame: one that changes what it reads does not stop the
  /// program.
  private static let evaluationLimit = 1000

  /// Called when the screen must be drawn again.
  package var onChange: (() -> Void)?
  /// Called with a key that was pressed ahead and that has no meaning for the views.
  package var onUnhandledKey: ((Key) -> Void)?
  /// The size of the screen.
  package var size: CanvasSize {
    didSet {
      guard size != oldValue else { return }
      isPlaced = false
      needsDrawing()
    }
  }
  /// The current time; changed before drawing and before each key.
  package var now: Duration
  package internal(set) var message: Message?
  /// The node to which keys go first.
  private(set) weak var focused: ViewNode?
  /// The time at which the screen changes by itself.
  private var changeTime: Duration?
  let root = WrapperNode()
  /// The keys that were pressed for a view before it was there.
  private var keysAhead: [Key] = []
  private var dirty: [any DependentNode] = []
  /// The help, while it is open.
  var help: OpenBox?
  /// The nodes that had the focus below the overlays, the lowest first.
  private var covered: [(overlay: ObjectIdentifier, focus: WeakNode)] = []
  private var isNotified = false
  /// True from a change that the views have noticed, or a key, until the screen is drawn.
  package private(set) var isOutdated = true
  /// True if the views have their places, so that a key needs no layout: pasted text may be a million keys.
  private var isPlaced = false

  private struct WeakNode { weak var node: ViewNode? }

  /// Creates a tree without views.
  package init(size: CanvasSize, now: Duration = .zero) {
    (self.size, self.now) = (size, now)
    TextWidth.prepare()
    root.tree = self
  }

  /// Shows a view in place of the one that is shown.
  package func show(_ view: some TerminalView) {
    root.show(view)
    isPlaced = false
    needsDrawing()
  }

  /// Removes all views, which then observe nothing any more.
  package func removeAll() { root.removed() }

  // MARK: Changes

  /// Evaluates a node before the screen is drawn the next time.
  func mustEvaluate(_ node: (any DependentNode)?) {
    guard let node else { return }
    if !dirty.contains(where: { $0 === node }) { dirty.append(node) }
  }

  /// Records that a node has been evaluated.
  func isEvaluated(_ node: any DependentNode) { dirty.removeAll { $0 === node } }

  package func needsDrawing() {
    noteChange()
    guard !isNotified else { return }
    isNotified = true
    onChange?()
  }

  /// Records that the screen is out of date, before it is known when it is drawn.
  func noteChange() { isOutdated = true }

  /// Draws the screen again at a time, at the latest.
  func needsDrawing(at time: Duration) { changeTime = min(changeTime ?? time, time) }

  /// The time at which the screen changes by itself; nil if it does not.
  package var nextChange: Duration? { changeTime }

  /// Shows a message in place of the help line: a bad one until the next key, another one for 5 s at most.
  package func say(_ text: String, isBad: Bool = false) {
    message = Message(text: text, isBad: isBad)
    needsDrawing()
  }

  /// Shows why the store has refused an action, and what it has in place of what was sent.
  package func actionRefused(_ reason: String) {
    visit(root) { $0.actionRefused() }
    say(reason, isBad: true)
  }

  /// Brings the views up to date, if anything has changed since the last time.
  func updateIfNeeded() {
    if !isPlaced || !dirty.isEmpty { update() }
  }

  /// Evaluates the views whose values have changed, and gives all views their places.
  package func update() {
    // A parent first, which may evaluate or remove the others.
    var count = 0
    while count < Self.evaluationLimit,
      let (node, depth) = dirty.map({ ($0, self.depth(of: $0)) }).min(by: { $0.1 ?? .max < $1.1 ?? .max })
    {
      isEvaluated(node)
      count += 1
      if depth != nil { node.evaluate() }
    }
    place()
    let old = focused
    updateFocus()
    // The focus shows help, and scrolls forms.
    if focused !== old { place() }
    isPlaced = true
    pressKeysAhead()
  }

  /// Presses keys once the views are up to date.
  func pressLater(_ keys: [Key]) { keysAhead += keys }

  private func pressKeysAhead() {
    guard !keysAhead.isEmpty else { return }
    let keys = keysAhead
    keysAhead = []
    for key in keys where !press(key) { onUnhandledKey?(key) }
    updateIfNeeded()
  }

  private func place() {
    root.place(in: Rect(rows: size.rows, columns: size.columns))
    findOverlays()
    for overlay in overlays { overlay.place(in: contentArea) }
  }

  /// Returns the number of ancestors; nil if the node has left the tree.
  private func depth(of node: ViewNode) -> Int? {
    var (depth, next) = (0, Optional(node))
    while let node = next {
      if node === root { return depth }
      guard let parent = node.parent else { return nil }
      guard parent.children.contains(where: { $0 === node }) || parent.overlay === node else { return nil }
      (next, depth) = (parent, depth + 1)
    }
    return nil
  }

  /// Draws the screen.
  package func draw() -> TextGrid {
    if let end = message?.end, end <= now { message = nil }
    changeTime = nil
    update()
    isOutdated = false
    if message?.isBad == false, message?.end == nil { message?.end = now + Message.duration }
    if let end = message?.end { needsDrawing(at: end) }
    let cells = Region.Cells(size)
    var region = Region(cells)
    if !root.frame.isEmpty { root.draw(on: &region) }
    for overlay in overlays {
      var part = region.part(overlay.frame)
      overlay.draw(on: &part)
    }
    if let help {
      var part = region.part(contentArea)
      let rows = 0..<part.size.rows
      help.box.draw(from: help.line, in: rows, on: &part)
    }
    isNotified = false
    if !dirty.isEmpty { needsDrawing() }
    return cells.grid
  }

  // MARK: Overlays

  /// The nodes over the screen since the last layout, the lowest first: each key asks for them.
  private var overlays: [ViewNode] = []
  /// The view that takes all keys in the highest of them.
  private var modal: ViewNode?

  /// Finds the nodes over the screen. The one that appeared last is the highest; of those that appear together, it is
  /// the one around the others, or within them.
  private func findOverlays() {
    var open: [ViewNode] = []
    func find(in node: ViewNode) {
      for child in node.children { find(in: child) }
      guard let overlay = node.overlay else { return }
      open.append(overlay)
      find(in: overlay)
    }
    find(in: root)
    overlays.removeAll { overlay in !open.contains { $0 === overlay } }
    overlays += open.filter { overlay in !overlays.contains { $0 === overlay } }
    modal = nil
    func findModal(in node: ViewNode) {
      if node is ModalNode { modal = node }
      for child in node.children { findModal(in: child) }
    }
    findModal(in: overlays.last ?? root)
  }

  /// The part of the screen without the frame of an app: its title and its help line.
  var contentArea: Rect {
    var area: Rect?
    visit(root) { if area == nil, $0 is ContentAreaNode { area = $0.frame } }
    return area ?? root.frame
  }

  func visit(_ node: ViewNode, _ body: (ViewNode) -> Void) {
    body(node)
    for child in node.children { visit(child, body) }
    if let overlay = node.overlay { visit(overlay, body) }
  }

  /// The part of the tree that keys can reach.
  var scope: ViewNode { modal ?? overlays.last ?? root }

  /// The position of the cursor in the list on the screen, from 1, and the length of the list; nil without a list.
  var listPosition: (position: Int, count: Int)? {
    var found: (position: Int, count: Int)?
    visit(root) { found = found ?? $0.listPosition }
    return found
  }

  // MARK: Focus

  func focusable(in node: ViewNode) -> [ViewNode] {
    var found: [ViewNode] = []
    func visit(_ node: ViewNode) {
      if node.isFocusable { found.append(node) }
      for child in node.children { visit(child) }
    }
    visit(node)
    return found
  }

  private func updateFocus() {
    let open = overlays
    // What had the focus below a closed overlay has it again.
    while let last = covered.last, !open.contains(where: { ObjectIdentifier($0) == last.overlay }) {
      covered.removeLast()
      if let node = last.focus.node { focused = node }
    }
    if let top = open.last, covered.last?.overlay != ObjectIdentifier(top) {
      covered.append((ObjectIdentifier(top), WeakNode(node: focused)))
    }
    let all = focusable(in: scope)
    if !all.contains(where: { $0 === focused }) { focused = all.first { $0.wantsFocus } ?? all.first }
  }

  /// Gives a node the focus.
  func focus(_ node: ViewNode) {
    focused = node
    needsDrawing()
  }

  /// Moves the focus within a node; returns false at its ends.
  func moveFocus(by step: Int, within node: ViewNode) -> Bool {
    let all = focusable(in: node)
    guard let index = all.firstIndex(where: { $0 === focused }), all.indices.contains(index + step) else {
      return false
    }
    focus(all[index + step])
    return true
  }

  func moveFocus(by step: Int) -> Bool {
    let all = focusable(in: scope)
    guard all.count > 1 else { return false }
    let index = all.firstIndex { $0 === focused } ?? 0
    focus(all[(index + step + all.count) % all.count])
    return true
  }

  /// The focused node and its ancestors within the scope; without a focus, the scope.
  var path: [ViewNode] { path(from: focused ?? scope) }

  func path(from node: ViewNode) -> [ViewNode] {
    var (path, next): ([ViewNode], ViewNode?) = ([], node)
    let scope = scope
    while let node = next {
      path.append(node)
      if node === scope { break }
      next = node.parent
    }
    return path
  }
}
