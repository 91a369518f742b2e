package import Features
package import Terminal
internal import TerminalUI
package import TurnLog
internal import Wire

/// The screens of one terminal and the meaning of their keys.
///
/// The content is shared. This is the terminal's own state: the open tab, the cursors, the filter, the line being
/// edited, and the undo history.
package nonisolated struct Screens {
  /// A screen.
  package enum Tab: String, CaseIterable, Sendable {
    case counter, todos, favourites, presence, activity
  }

  /// The result of a key.
  package enum Intent {
    /// Send an action to the hub, and report the outcome of `lastActionNumber`.
    case send(AppFeature.Action)
    /// End the program once the hub has acknowledged all actions.
    case quit
    /// End the program immediately.
    case interrupt
    /// Redraw the whole screen, whatever the terminal shows.
    case redraw
    /// Stop the program until the shell continues it.
    case stop
    /// Show the details of a logged action, with `show`.
    case showDetails(Activity.ID)
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
  private(set) var presence = ListCursor<Attendee.ID>()
  private(set) var activity = ActivityPanel()
  private var counterHistory = UndoHistory<CounterStep>()
  private var todosHistory = UndoHistory<TodosStep>()
  private var favouritesHistory = UndoHistory<FavouritesStep>()
  /// The number of the action that was sent last; they are counted from 1.
  package private(set) var lastActionNumber = 0
  private(set) var pending = PendingMarks()
  private(set) var message: Message?
  /// The search text while it is being typed.
  private(set) var search: TextLine?
  /// The last search text.
  private var sought = ""
  /// True if the matches of the last search are highlighted.
  private var isHighlighting = false
  /// The box over the screen, such as the help; nil if there is none.
  private(set) var box: OpenBox?
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
    guard let parts = content.parts else { return }
    if !content.loading.contains(.todos) { todos.follow(parts.todosState) }
    favourites.follow(parts.favouritesState)
  }

  /// Returns the time at which the screens change by themselves, if any.
  package func nextChange(after now: Duration) -> Duration? {
    [message?.end, pending.nextChange(after: now)].compactMap { $0 }.min()
  }

  /// The actions that the screen of all actions shows.
  package var activityFilter: ActionFilter { activity.filter }

  /// Shows the details of an action over the screen.
  package mutating func show(_ details: ActivityDetails) { box = OpenBox(box: details.box) }

  /// The words to highlight in lists.
  var highlighted: [String] { isHighlighting && !sought.isEmpty ? [sought] : [] }

  /// Shows a message in place of the help line: a bad one until the next key, another one for a few seconds at most.
  package mutating func say(_ text: String, isBad: Bool = false) {
    message = Message(text: text, isBad: isBad)
  }

  // MARK: Keys

  /// Handles a key.
  ///
  /// - Returns: What the program must do, if anything.
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
    if var open = box {
      let isOpen = open.scrolled(by: key, rows: ScreenFrame.content(of: size).count, columns: size.columns)
      box = isOpen ? open : nil
      return nil
    }
    guard let parts = content.parts else { return Self.isQuit(key) ? .quit : nil }
    if content.loading.contains(tab), !keysAhead.isEmpty || !(Self.isQuit(key) || isCommon(key, content)) {
      pressedAhead(key)
      return nil
    }
    if search != nil {
      sought(key, content)
      return nil
    }
    if tab == .todos, todos.writing != nil { return passed(key, parts, content) }
    if tab == .activity, activity.writing != nil { return passed(key, parts, content) }
    if case .paste = key {
      say(tab == .todos ? "pasted text is not a command; press a first to add it" : "pasted text is not a command")
      return nil
    }
    if tab == .todos, todos.question != nil { return passed(key, parts, content) }
    if Self.isQuit(key) { return .quit }
    if isCommon(key, content) { return common(key, parts, content) }
    return passed(key, parts, content)
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

  /// The keys that were pressed while the open screen was loading, once it is there. Forget them, and pass them to
  /// `pressed`.
  package func keysAhead(_ content: ScreenContent) -> [Key] { content.loading.contains(tab) ? [] : keysAhead }

  /// Forgets the keys that were pressed while the open screen was loading.
  package mutating func forgetKeysAhead() { keysAhead = [] }

  private static func isQuit(_ key: Key) -> Bool { key == .character("q") || key == .control("d") }

  /// Returns true if a key has the same meaning on all screens.
  private func isCommon(_ key: Key, _ content: ScreenContent) -> Bool {
    switch key {
    case .character("?"), .character("u"), .character("U"), .tab, .backTab: true
    // In the list of favourites, it closes the list.
    case .escape: isHighlighting && tab != .favourites && hasList(content)
    case .character("/"), .character("n"), .character("N"): hasList(content)
    case .character(let character):
      character.wholeNumberValue.map { tabs(content).indices.contains($0 - 1) } ?? false
    case .click(let row, let column): frame(content, []).tab(at: row, column, of: size) != nil
    default: false
    }
  }

  func hasList(_ content: ScreenContent) -> Bool {
    switch tab {
    case _ where content.loading.contains(tab): false
    case .counter: false
    case .todos, .presence, .activity: true
    case .favourites: if case .favourites = content.parts?.favouritesState.destination { true } else { false }
    }
  }

  private mutating func common(_ key: Key, _ parts: SharedParts, _ content: ScreenContent) -> Intent? {
    let tabs = tabs(content)
    let open = tabs.firstIndex(of: tab) ?? 0
    switch key {
    case .character("?"): box = OpenBox(box: HelpScreen.box(tab))
    case .escape: isHighlighting = false
    case .character("/"): search = TextLine()
    case .character("n"): find(.next, content)
    case .character("N"): find(.previous, content)
    case .character("u"): return revert(.undo, parts, content.now)
    case .character("U"): return revert(.redo, parts, content.now)
    case .tab: tab = tabs[(open + 1) % tabs.count]
    case .backTab: tab = tabs[(open + tabs.count - 1) % tabs.count]
    case .character(let character): tab = character.wholeNumberValue.map { tabs[$0 - 1] } ?? tab
    case .click(let row, let column): tab = frame(content, []).tab(at: row, column, of: size).map { tabs[$0] } ?? tab
    default: break
    }
    return nil
  }

  /// Handles a key of the open screen.
  private mutating func passed(_ key: Key, _ parts: SharedParts, _ content: ScreenContent) -> Intent? {
    let rows = ScreenFrame.content(of: size)
    switch tab {
    case .counter:
      guard let action = CounterScreen(counter: parts.counterState).action(for: key) else { return nil }
      return send(action, to: parts.counter, \.counterHistory, content.now)
    case .todos:
      let action = todos.pressed(key, parts.todosState, in: rows, of: size)
      if let complaint = todos.complaint { message = complaint }
      guard let action else { return nil }
      return send(action, to: parts.todos, \.todosHistory, content.now)
    case .favourites:
      guard let action = favourites.pressed(key, parts.favouritesState, in: rows, of: size) else { return nil }
      return send(action, to: parts.favourites, \.favouritesHistory, content.now)
    case .presence:
      let attendees = content.attendees ?? []
      if key == .enter, attendees.indices.contains(presence.position) {
        box = OpenBox(box: PresenceScreen.details(attendees[presence.position]))
      } else {
        _ = presence.pressed(key, attendees.map(\.id), in: ListWindow.rows(under: rows))
      }
    case .activity:
      if let id = activity.pressed(key, content.activity ?? [], in: rows) { return .showDetails(id) }
    }
    return nil
  }

  /// Records an action of the user for a part.
  private mutating func send<Step: UndoStep>(
    _ action: Step.Action, to state: Step.State?, _ history: WritableKeyPath<Screens, UndoHistory<Step>>,
    _ now: Duration
  ) -> Intent? {
    guard let state else { return nil }
    self[keyPath: history].note(action, number: lastActionNumber + 1, in: state)
    return sending(action, to: state, by: Step.self, now)
  }

  private mutating func sending<Step: UndoStep>(
    _ action: Step.Action, to state: Step.State, by step: Step.Type, _ now: Duration
  ) -> Intent {
    lastActionNumber += 1
    pending.note(lastActionNumber, on: step.tab, step.todo(of: action, in: state), at: now)
    return .send(step.whole(action))
  }

  /// Records that an action had no effect, so that there is nothing to undo. If the action was an undo or redo, it can be
  /// repeated.
  package mutating func refused(_ number: Int) {
    counterHistory.forget(number)
    todosHistory.forget(number)
    favouritesHistory.forget(number)
  }

  /// Records that the outcome of an action is known, or will never be: it is not marked as pending any more.
  package mutating func ended(_ number: Int) { pending.remove(number) }

  private mutating func revert(_ direction: UndoDirection, _ parts: SharedParts, _ now: Duration) -> Intent? {
    switch tab {
    case .counter: return revert(direction, parts.counter, \.counterHistory, now)
    case .todos: return revert(direction, parts.todos, \.todosHistory, now)
    case .favourites: return revert(direction, parts.favourites, \.favouritesHistory, now)
    case .presence, .activity:
      say(direction.nothing)
      return nil
    }
  }

  private mutating func revert<Step: UndoStep>(
    _ direction: UndoDirection, _ state: Step.State?, _ history: WritableKeyPath<Screens, UndoHistory<Step>>,
    _ now: Duration
  ) -> Intent? {
    guard let state else {
      say(direction.nothing)
      return nil
    }
    switch self[keyPath: history].revert(direction, number: lastActionNumber + 1, in: state) {
    case .send(let action, let what):
      say(what)
      return sending(action, to: state, by: Step.self, now)
    case .nothing(let reason):
      say(reason)
      return nil
    }
  }

  // MARK: Searching

  /// Handles a key while the search text is being typed; the first match is shown immediately.
  private mutating func sought(_ key: Key, _ content: ScreenContent) {
    switch key {
    case .escape: (search, isHighlighting) = (nil, false)
    case .enter:
      search = nil
      isHighlighting = !sought.isEmpty
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
    guard let parts = content.parts else { return }
    guard !sought.isEmpty else { return say("press / to search") }
    isHighlighting = true
    var isFound: Bool?
    switch tab {
    case .counter: break
    case .todos: isFound = todos.search(sought, direction, parts.todosState)
    case .favourites: isFound = favourites.search(sought, direction, parts.favouritesState)
    case .presence:
      let (attendees, wanted) = (content.attendees ?? [], sought.lowercased())
      let texts = Dictionary(attendees.map { ($0.id, PresenceScreen.searchText($0).lowercased()) }) { first, _ in first
      }
      isFound = presence.search(attendees.map(\.id), direction) { texts[$0]?.contains(wanted) ?? false }
    case .activity: isFound = activity.search(sought, direction, content.activity ?? [])
    }
    if isFound == false { say("not found: \(sought)", isBad: true) }
  }

  func tabs(_ content: ScreenContent) -> [Tab] {
    Tab.allCases.filter { tab in
      switch tab {
      case .counter, .todos, .favourites: true
      case .presence: content.attendees != nil
      case .activity: content.activity != nil
      }
    }
  }
}
