package import Features
package import ReplicaCore
package import Terminal
package import Wire

/// The input of the screens: the shared state, and the state of the connection.
package nonisolated struct ScreenContent {
  /// The hub's state, or nil before the hub has sent it.
  package var state: AppFeature.State?
  /// The attached clients; nil if they are unknown, in which case there is no tab for them.
  package var attendees: [Attendee]?
  /// The state of the connection to the hub.
  package var connection: ConnectionState
  /// The hub's socket.
  package var path: String
  /// The current time on the clock of `connection`.
  package var now: Duration
  /// The logged actions, oldest first; nil if they are unknown, in which case there is no tab for them.
  package var activity: [Activity]?
  /// The tabs whose part of `state` has not arrived yet.
  package var loading: Set<Screens.Tab> = []
  /// The number of bytes received of states that are being loaded.
  package var loadedByteCount = 0

  /// Creates the content.
  package init(
    state: AppFeature.State?, attendees: [Attendee]? = nil, connection: ConnectionState, path: String, now: Duration
  ) {
    (self.state, self.attendees, self.connection) = (state, attendees, connection)
    (self.path, self.now) = (path, now)
  }
}

/// The screens of one terminal and the meaning of their keys.
///
/// The content is shared. This is the terminal's own state: the open tab, the cursors, the filter, the line being
/// edited, and the undo history.
package nonisolated struct Screens: Equatable, Sendable {
  /// A screen.
  package enum Tab: String, CaseIterable, Sendable {
    case counter, todos, favourites, presence, activity
  }

  /// The result of a key.
  package enum Intent: Equatable, Sendable {
    /// Send an action.
    case send(AppFeature.Action)
    /// End the program once the hub has acknowledged all actions.
    case quit
    /// End the program immediately.
    case interrupt
    /// Redraw the whole screen, whatever the terminal shows.
    case redraw
    /// Stop the program until the shell continues it.
    case stop
  }

  /// A message in place of the help line, until the next key. What is not bad also disappears by itself.
  struct Message: Equatable {
    static let duration = Duration.seconds(5)

    var text: String
    var isBad: Bool
    /// The time at which it disappears; nil before it was shown, or if it stays.
    var end: Duration?
  }

  /// The open tab.
  package private(set) var tab = Tab.counter
  /// This terminal's view of the todos.
  package private(set) var todos = TodosPanel()
  /// This terminal's view of the favourites.
  package private(set) var favourites = FavouritesPanel()
  /// The size of the terminal.
  package private(set) var size = CanvasSize(rows: 24, columns: 80)
  private var presence = ListCursor<Attendee.ID>()
  private var activity = ActivityPanel()
  private var undoable = UndoHistory()
  private var message: Message?
  /// The search text while it is being typed.
  private var search: TextLine?
  /// The last search text.
  private var sought = ""
  /// The first visible line of the help; nil if it is closed.
  private var helpLine: Int?
  /// The keys that were pressed for a screen whose part of the state had not arrived yet.
  private var keysAhead: [Key] = []
  private static let keysAheadLimit = 1000

  /// Creates screens with the first tab open.
  package init() {}

  /// Updates the cursors after the content has changed; each stays on its element.
  package mutating func follow(_ content: ScreenContent, size: CanvasSize? = nil) {
    if let size { self.size = size }
    if let end = message?.end, end <= content.now { message = nil }
    if message?.isBad == false, message?.end == nil { message?.end = content.now + Message.duration }
    if !tabs(content).contains(tab) { tab = .counter }
    if let attendees = content.attendees {
      presence.follow(attendees.map(\.id)) { id in attendees.firstIndex { $0.id == id } }
    }
    if let entries = content.activity { activity.follow(entries) }
    guard let state = content.state else { return }
    if !content.loading.contains(.todos) { todos.follow(state.todos) }
    favourites.follow(state.favourites)
  }

  /// The time at which the screens change by themselves, if any.
  package var nextChange: Duration? { message?.end }

  /// Shows a message in place of the help line: a bad one until the next key, another one for a few seconds at most.
  package mutating func say(_ text: String, isBad: Bool = false) {
    message = Message(text: text, isBad: isBad)
  }

  // MARK: Keys

  /// Handles a key.
  ///
  /// - Returns: The action that the program must perform, if any.
  package mutating func pressed(_ key: Key, _ content: ScreenContent) -> Intent? {
    // What is under the message cannot be meant.
    if case .click(let row, _) = key, frame(content, []).hasMessage(in: row, of: size) {
      message = nil
      return nil
    }
    message = nil
    if key == .control("c") { return .interrupt }
    if key == .control("l") { return .redraw }
    if key == .control("z") { return .stop }
    if let line = helpLine {
      helpLine = scrolled(line, by: key)
      return nil
    }
    guard let state = content.state else { return Self.isQuit(key) ? .quit : nil }
    if content.loading.contains(tab), !keysAhead.isEmpty || !(Self.isQuit(key) || isCommon(key, content)) {
      pressedAhead(key)
      return nil
    }
    if search != nil {
      sought(key, content)
      return nil
    }
    if tab == .todos, todos.writing != nil { return passed(key, state, content) }
    if case .paste = key {
      say(tab == .todos ? "pasted text is not a command; press a first to add it" : "pasted text is not a command")
      return nil
    }
    if tab == .todos, todos.question != nil { return passed(key, state, content) }
    if Self.isQuit(key) { return .quit }
    if isCommon(key, content) { return common(key, state, content) }
    return passed(key, state, content)
  }

  /// Keeps a key for a screen that is loading: what is typed quickly must not lose its beginning, because the rest would
  /// be other commands. Escape discards the keys.
  private mutating func pressedAhead(_ key: Key) {
    if key == .escape {
      keysAhead = []
    } else if keysAhead.count < Self.keysAheadLimit {
      keysAhead.append(key)
    } else {
      say("only the first \(Self.keysAheadLimit) keys are kept while this is loading; esc discards them", isBad: true)
    }
  }

  /// Returns the keys that were pressed while the open screen was loading, once it is there. Pass them to `pressed`.
  package mutating func takeKeysAhead(_ content: ScreenContent) -> [Key] {
    guard !content.loading.contains(tab) else { return [] }
    defer { keysAhead = [] }
    return keysAhead
  }

  private static func isQuit(_ key: Key) -> Bool { key == .character("q") || key == .control("d") }

  private func scrolled(_ line: Int, by key: Key) -> Int? {
    let rows = ScreenFrame.content(of: size).count
    let help = HelpScreen(tab: tab)
    func first(_ wanted: Int) -> Int { help.first(wanted, rows: rows, columns: size.columns) }
    switch key {
    case .down, .wheelDown, .character("j"): return first(line + 1)
    case .up, .wheelUp, .character("k"): return max(line - 1, 0)
    case .pageDown, .character(" "): return first(line + rows)
    case .pageUp: return max(line - rows, 0)
    default: return nil
    }
  }

  /// Returns true if a key has the same meaning on all screens.
  private func isCommon(_ key: Key, _ content: ScreenContent) -> Bool {
    switch key {
    case .character("?"), .character("u"), .tab, .backTab: true
    case .character("/"), .character("n"), .character("N"): hasList(content)
    case .character(let character):
      character.wholeNumberValue.map { tabs(content).indices.contains($0 - 1) } ?? false
    case .click(let row, let column): frame(content, []).tab(at: row, column, of: size) != nil
    default: false
    }
  }

  private func hasList(_ content: ScreenContent) -> Bool {
    switch tab {
    case _ where content.loading.contains(tab): false
    case .counter: false
    case .todos, .presence, .activity: true
    case .favourites: if case .favourites = content.state?.favourites.destination { true } else { false }
    }
  }

  private mutating func common(_ key: Key, _ state: AppFeature.State, _ content: ScreenContent) -> Intent? {
    let tabs = tabs(content)
    let open = tabs.firstIndex(of: tab) ?? 0
    switch key {
    case .character("?"): helpLine = 0
    case .character("/"): search = TextLine()
    case .character("n"): find(.next, content)
    case .character("N"): find(.previous, content)
    case .character("u"): return undo(state)
    case .tab: tab = tabs[(open + 1) % tabs.count]
    case .backTab: tab = tabs[(open + tabs.count - 1) % tabs.count]
    case .character(let character): tab = character.wholeNumberValue.map { tabs[$0 - 1] } ?? tab
    case .click(let row, let column): tab = frame(content, []).tab(at: row, column, of: size).map { tabs[$0] } ?? tab
    default: break
    }
    return nil
  }

  /// Handles a key of the open screen.
  private mutating func passed(_ key: Key, _ state: AppFeature.State, _ content: ScreenContent) -> Intent? {
    let rows = ScreenFrame.content(of: size)
    var action: AppFeature.Action?
    switch tab {
    case .counter:
      action = CounterScreen(counter: state.counter).action(for: key).map { .counter($0) }
    case .todos:
      action = todos.pressed(key, state.todos, in: rows, of: size).map { .todos($0) }
      if let complaint = todos.complaint { message = complaint }
    case .favourites:
      action = favourites.pressed(key, state.favourites, in: rows, of: size).map { .favourites($0) }
    case .presence:
      _ = presence.pressed(key, (content.attendees ?? []).map(\.id), in: ListWindow.rows(under: rows))
    case .activity:
      activity.pressed(key, content.activity ?? [], in: rows)
    }
    guard let action else { return nil }
    undoable.note(action, in: state)
    return .send(action)
  }

  /// The number of the action that `pressed` returned last; they are counted from 1.
  package var lastActionNumber: Int { undoable.lastNumber }

  /// Records that an action had no effect, so that there is nothing to undo. If the action was an undo, it can be
  /// repeated.
  package mutating func refused(_ number: Int) { undoable.forget(number) }

  private mutating func undo(_ state: AppFeature.State) -> Intent? {
    switch undoable.undo(in: state) {
    case .send(let action, let what):
      say(what)
      return .send(action)
    case .nothing(let reason):
      say(reason)
      return nil
    }
  }

  // MARK: Searching

  /// Handles a key while the search text is being typed; the first match is shown immediately.
  private mutating func sought(_ key: Key, _ content: ScreenContent) {
    switch key {
    case .escape: search = nil
    case .enter:
      search = nil
      if sought.isEmpty { return }
      find(.here, content)
    case .backspace where search?.text.isEmpty == true: search = nil
    default:
      search?.pressed(key)
      sought = search?.text ?? ""
      if !sought.isEmpty { find(.here, content) }
      if let omission = search?.omission { say(omission, isBad: true) }
    }
  }

  private mutating func find(_ direction: SearchDirection, _ content: ScreenContent) {
    guard let state = content.state else { return }
    guard !sought.isEmpty else { return say("press / to search") }
    var isFound: Bool?
    switch tab {
    case .counter: break
    case .todos: isFound = todos.search(sought, direction, state.todos)
    case .favourites: isFound = favourites.search(sought, direction, state.favourites)
    case .presence:
      let (attendees, wanted) = (content.attendees ?? [], sought.lowercased())
      let names = Dictionary(attendees.map { ($0.id, $0.name) }) { first, _ in first }
      isFound = presence.search(attendees.map(\.id), direction) { names[$0]?.lowercased().contains(wanted) ?? false }
    case .activity: isFound = activity.search(sought, direction, content.activity ?? [])
    }
    if isFound == false { say("not found: \(sought)", isBad: true) }
  }

  private func tabs(_ content: ScreenContent) -> [Tab] {
    Tab.allCases.filter { tab in
      switch tab {
      case .counter, .todos, .favourites: true
      case .presence: content.attendees != nil
      case .activity: content.activity != nil
      }
    }
  }

  // MARK: Drawing

  /// Draws the open tab in its frame.
  package func draw(_ content: ScreenContent, on canvas: inout some Canvas) {
    let rows = ScreenFrame.content(of: canvas.size)
    let isOld = if case .live = content.connection { false } else { true }
    var keys = ["q quit"]
    if let state = content.state {
      switch tab {
      case _ where content.loading.contains(tab):
        keys = ["tab next   ? help   q quit", "tab  ?  q quit", "? q"]
        drawAbsence(content, of: "the \(tab.rawValue)", in: rows, on: &canvas)
      case .counter:
        let screen = CounterScreen(counter: state.counter, isOld: isOld)
        keys = screen.keys
        screen.draw(in: rows, on: &canvas)
      case .todos:
        let screen = TodosScreen(state: state.todos, panel: todos, isOld: isOld)
        keys = screen.keys
        screen.draw(in: rows, on: &canvas)
      case .favourites:
        let screen = FavouritesScreen(state: state.favourites, panel: favourites, isOld: isOld)
        keys = screen.keys
        screen.draw(in: rows, on: &canvas)
      case .presence:
        keys = PresenceScreen.keys
        PresenceScreen(attendees: content.attendees ?? [], cursor: presence, isOld: isOld).draw(in: rows, on: &canvas)
      case .activity:
        keys = ActivityScreen.keys
        ActivityScreen(entries: content.activity ?? [], panel: activity, isOld: isOld).draw(in: rows, on: &canvas)
      }
    } else {
      drawAbsence(content, of: "the state", in: rows, on: &canvas)
    }
    if let helpLine {
      keys = ["↑ ↓ scroll   any other key closes this", "↑ ↓  esc close"]
      HelpScreen(tab: tab).draw(from: helpLine, in: rows, on: &canvas)
    }
    frame(content, keys).draw(on: &canvas)
  }

  private func frame(_ content: ScreenContent, _ keys: [String]) -> ScreenFrame {
    let tabs = tabs(content)
    let message = message.map { ($0.text, Style($0.isBad ? .red : .yellow, bold: true)) }
    return ScreenFrame(
      connection: content.connection, path: content.path, now: content.now, tabs: tabs.map(\.rawValue),
      openTab: tabs.firstIndex(of: tab) ?? 0, keys: keys, message: message, search: message == nil ? search : nil)
  }

  private func drawAbsence(
    _ content: ScreenContent, of part: String, in rows: Range<Int>, on canvas: inout some Canvas
  ) {
    let row = max(rows.lowerBound + (rows.count - 2) / 2 - 2, rows.lowerBound)
    guard content.loadedByteCount == 0, content.connection != .live else {
      canvas.centered(row, "loading \(part) …")
      let text = content.loadedByteCount > 0 ? Self.megabytes(content.loadedByteCount) : ""
      if rows.contains(row + 1) { canvas.centered(row + 1, text, Style(.cyan, bold: true)) }
      return
    }
    guard case .connecting(_, let failure) = content.connection else {
      return canvas.centered(row, "waiting for the hub")
    }
    canvas.centered(row, failure == nil ? "connecting to the hub …" : "waiting for the hub")
    let detail = failure ?? content.path
    for (index, line) in TextWidth.wrap(detail, columns: canvas.size.columns - 4, lines: 3).enumerated() {
      if rows.contains(row + 2 + index) { canvas.centered(row + 2 + index, line, Style(dim: true)) }
    }
  }

  private static func megabytes(_ count: Int) -> String { "\(count / 1_000_000).\(count / 100_000 % 10) MB" }
}
