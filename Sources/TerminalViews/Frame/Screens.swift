public import Features
public import ReplicaCore
public import Terminal
public import Wire

/// The input of the screens: the shared state, and the state of the connection.
public nonisolated struct ScreenContent {
  /// The hub's state, or nil before the hub has sent it.
  public var state: AppFeature.State?
  /// The attached clients; nil if they are not known, and then there is no tab for them.
  public var attendees: [Attendee]?
  /// The state of the connection to the hub.
  public var connection: ConnectionState
  /// The hub's socket.
  public var path: String
  /// The current time on the clock of `connection`.
  public var now: Duration

  /// Creates the content.
  public init(
    state: AppFeature.State?, attendees: [Attendee]? = nil, connection: ConnectionState, path: String, now: Duration
  ) {
    (self.state, self.attendees, self.connection) = (state, attendees, connection)
    (self.path, self.now) = (path, now)
  }
}

/// The screens of one terminal: what they show, and what the keys do.
///
/// The content is shared. This is the terminal's own state: the open tab, the cursors, the filter, and the line that is being
/// edited.
public nonisolated struct Screens: Equatable, Sendable {
  /// A screen.
  public enum Tab: String, CaseIterable, Sendable {
    case counter, todos, favourites, presence
  }

  /// The result of a key.
  public enum Intent: Equatable, Sendable {
    /// Send an action.
    case send(AppFeature.Action)
    /// End the program.
    case quit
  }

  /// The open tab.
  public private(set) var tab = Tab.counter
  /// This terminal's view of the todos.
  public private(set) var todos = TodosPanel()
  /// This terminal's view of the favourites.
  public private(set) var favourites = FavouritesPanel()
  private var presence = ListCursor<Attendee.ID>()

  /// Creates screens with the first tab open.
  public init() {}

  /// Follows changes of the content: each cursor stays on its element.
  public mutating func follow(_ content: ScreenContent) {
    if !tabs(content).contains(tab) { tab = .counter }
    if let attendees = content.attendees {
      presence.follow(attendees.map(\.id)) { id in attendees.firstIndex { $0.id == id } }
    }
    guard let state = content.state else { return }
    todos.follow(state.todos)
    favourites.follow(state.favourites)
  }

  /// Takes a key.
  ///
  /// - Returns: What the program must do, if anything.
  public mutating func pressed(_ key: Key, _ content: ScreenContent) -> Intent? {
    if key == .control("c") { return .quit }
    let isWriting = tab == .todos && todos.writing != nil
    if !isWriting, key == .character("q") || key == .control("d") { return .quit }
    guard let state = content.state, isWriting || !switched(by: key, content) else { return nil }
    switch tab {
    case .counter:
      return CounterScreen.action(for: key).map { .send(.counter($0)) }
    case .todos:
      return todos.pressed(key, state.todos).map { .send(.todos($0)) }
    case .favourites:
      return favourites.pressed(key, state.favourites).map { .send(.favourites($0)) }
    case .presence:
      _ = presence.pressed(key, (content.attendees ?? []).map(\.id))
      return nil
    }
  }

  /// Opens another tab, if the key is for that.
  private mutating func switched(by key: Key, _ content: ScreenContent) -> Bool {
    let tabs = tabs(content)
    let open = tabs.firstIndex(of: tab) ?? 0
    switch key {
    case .tab: tab = tabs[(open + 1) % tabs.count]
    case .backTab: tab = tabs[(open + tabs.count - 1) % tabs.count]
    case .character(let character):
      guard let number = character.wholeNumberValue, tabs.indices.contains(number - 1) else { return false }
      tab = tabs[number - 1]
    default: return false
    }
    return true
  }

  private func tabs(_ content: ScreenContent) -> [Tab] {
    content.attendees == nil ? [.counter, .todos, .favourites] : Tab.allCases
  }

  /// Draws the open tab in its frame.
  public func draw(_ content: ScreenContent, on canvas: inout some Canvas) {
    let rows = ScreenFrame.content(of: canvas.size)
    let isOld = if case .live = content.connection { false } else { true }
    var keys = ["q quit"]
    if let state = content.state {
      switch tab {
      case .counter:
        keys = CounterScreen.keys
        CounterScreen(counter: state.counter, isOld: isOld).draw(in: rows, on: &canvas)
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
      }
    } else {
      drawAbsence(content, in: rows, on: &canvas)
    }
    let tabs = tabs(content)
    ScreenFrame(
      connection: content.connection, path: content.path, now: content.now, tabs: tabs.map(\.rawValue),
      openTab: tabs.firstIndex(of: tab) ?? 0, keys: keys
    ).draw(on: &canvas)
  }

  private func drawAbsence(_ content: ScreenContent, in rows: Range<Int>, on canvas: inout some Canvas) {
    let row = max(rows.lowerBound + (rows.count - 2) / 2 - 2, rows.lowerBound)
    canvas.centered(row, "waiting for the hub")
    guard case .connecting(_, let failure?) = content.connection else { return }
    for (index, line) in TextWidth.wrap(failure, columns: canvas.size.columns - 4).prefix(3).enumerated() {
      if rows.contains(row + 2 + index) { canvas.centered(row + 2 + index, line, Style(dim: true)) }
    }
  }
}
