import ComposableCore
import EventLoop
import Features
import Glibc
import ProgramOptions
import ReplicaCore
import StoreClient
import Terminal
import TerminalApp
import TerminalUI
import TerminalViews
import Wire

/// Connects the parts of the program.
final class Session {
  /// The command line.
  struct Settings {
    var terminal: TerminalSession.Settings
    var stateDirectory: String?
    var predicts: Bool
  }

  /// The name among the hub's attendees.
  static let name = "storeterm \(storeHubVersion)"
  /// The time after which the screen says that the program waits for the hub.
  private static let connectNoticeDelay = Duration.milliseconds(500)

  private let settings: Settings
  private let loop: EventLoop
  private let client: StoreClient<AppFeature.State, AppFeature.Action>
  private var host: TerminalHost?
  private let counter: Attachment<Counter.State, Counter.Action>
  private let favourites: Attachment<FavouriteNumbers.State, FavouriteNumbers.Action>
  /// Attached when a screen first needs them, because they may be large.
  private var todos: Attachment<Todos.State, Todos.Action>?
  /// What the terminal shows: its own screens, and the parts of the hub's state.
  private let store: StoreOf<TerminalFeature>
  private var subscription: StoreSubscription?
  /// What the screens show when keys are pressed.
  private var keyContent: ScreenContent?
  private let attendance: Attachment<HubState, Never>
  private var attendanceSubscription: StoreSubscription?
  private var lastAction: StoreTask?
  /// Waits while the hub has actions to acknowledge before the program ends.
  private var ending: QuitProgress?
  /// Runs until the screen says that the program is connecting.
  private var connectTimer: Timer?
  /// True once the hub has sent a state, or the beginning of a large one.
  private var hasContent = false
  private var clock: Timer?
  private var news: ConnectionNews
  private var activity: ActivityLog?
  /// Looks for new actions in the journal.
  private var activityTimer: Timer?
  private var activityAttempts = 0
  private var hasQuit = false
  /// The reason why the program ends with a failure.
  private(set) var failure: String?
  /// True if the hub runs a feature for which these screens were not made.
  private(set) var isForOtherFeature = false

  init(_ settings: Settings, on loop: EventLoop) throws {
    (self.settings, self.loop) = (settings, loop)
    news = ConnectionNews(waitsForHub: settings.terminal.waitsForHub)
    var options = settings.terminal.replicaOptions(name: Self.name)
    options.subscribesToWholeState = false
    client = try StoreClient(loop: loop, path: settings.terminal.path, options: options)
    counter = client.attach(to: { $0.counter }, action: { .counter($0) }, Counter(), settings)
    favourites = client.attach(to: { $0.favourites }, action: { .favourites($0) }, FavouriteNumbers(), settings)
    attendance = client.attachToHub { $0 }
    let content = ScreenContent(connection: client.connection, path: settings.terminal.path, now: loop.now)
    store = client.store(initialState: TerminalFeature.State(content)) { TerminalFeature() }
    // A hub that is waited for may create its journal later.
    if !settings.terminal.waitsForHub { try openJournal() }
  }

  private func openJournal() throws {
    if activity == nil, let directory = settings.stateDirectory { activity = try ActivityLog(directory) }
  }

  func run() throws {
    client.onConnectionChange = { [weak self] in self?.connectionChanged() }
    client.onConnectionNotice = nil
    // The screen has no room for it; it is printed at the end.
    client.onDivergence = { [weak self] in self?.failure = "\($0)" }
    follow(counter)
    follow(favourites)
    subscription = store.subscribe { [weak self] _ in self?.drawSoon() }
    client.onProgress = { [weak self] in self?.loaded() }
    attendance.onChange = { [weak self] in
      guard let self else { return }
      attendanceSubscription = attendance.store?.subscribe { [weak self] _ in self?.drawSoon() }
    }
    clock = try Timer(on: loop) { [weak self] in self?.drawSoon() }
    activityTimer = try Timer(on: loop) { [weak self] in self?.drawSoon() }
    let (theme, takesMouse) = (settings.terminal.theme, settings.terminal.takesMouse)
    let host = try TerminalHost(on: loop, screen, theme: theme, takesMouse: takesMouse)
    self.host = host
    host.onQuit = { [weak self] _ in self?.quit() }
    host.onFrame = { [weak self] in self?.prepareFrame($0) }
    host.onKeys = { [weak self] in
      guard let self else { return }
      keyContent = content
    }
    connectTimer = try Timer(on: loop) { [weak self] in self?.showTerminal() }
    if settings.terminal.waitsForHub { try host.open() } else { connectTimer?.start(after: Self.connectNoticeDelay) }
    client.start()
    loop.run()
    host.close()
  }

  /// Shows a part in the store, and handles the keys that were pressed while it was loading.
  private func follow<Part, Action>(_ attachment: Attachment<Part, Action>) {
    attachment.show(in: store)
    attachment.onChange = { [weak self] in
      guard let self else { return }
      if hasParts { show() }
      let content = content
      store.send(.contentChanged(content, size: nil))
      let keys = store.withState { $0.screens.keysAhead($0.shown) }
      if !keys.isEmpty { store.send(.keysAheadTaken) }
      for key in keys { pressed(key, content) }
    }
  }

  /// Attaches the todos when a screen needs them: the one that shows them, and the one that shows all actions. They
  /// stay attached, so that the screen opens immediately the next time, and undo finds them.
  private func attachShownParts() {
    guard todos == nil, [.todos, .activity].contains(store.screens.tab) else { return }
    let todos = client.attach(to: { $0.todos }, action: { .todos($0) }, Todos(), settings)
    self.todos = todos
    follow(todos)
  }

  /// True once the hub has sent the parts that are attached from the start. A hub of another version may lack one.
  private var hasParts: Bool { counter.isKnown && favourites.isKnown }

  /// Shows the progress of loading a large state.
  private func loaded() {
    if client.loadedByteCount > 0, !hasParts || todos?.isKnown == false { show() }
  }

  private func show() {
    hasContent = true
    showTerminal()
  }

  private func showTerminal() {
    guard !hasQuit else { return }
    do {
      try host?.open()
      drawSoon()
    } catch {
      quit(because: "\(error)")
    }
  }

  /// The screens, which draw themselves and handle all keys.
  private var screen: WholeScreen {
    WholeScreen { [weak self] canvas in
      guard let self else { return nil }
      return store.withState { state in
        state.screens.draw(state.shown, on: &canvas)
        return state.screens.nextChange(after: loop.now)
      }
    } pressed: { [weak self] key in
      guard let self else { return }
      pressed(key, keyContent ?? content)
    }
  }

  private func pressed(_ key: Key, _ content: ScreenContent) {
    // Keys after `q` are ignored, except those that quit.
    guard ending == nil else {
      if [.character("q"), .control("d")].contains(key) { quit() }
      return
    }
    let task = store.send(.pressed(key, content))
    switch store.intent {
    case .quit: quitWhenAcknowledged()
    case .interrupt: quit()
    case .redraw, .stop: break  // The host's.
    case .showDetails(let id): showDetails(of: id)
    case .send: report(task, number: store.screens.lastActionNumber)
    case nil: break
    }
  }

  /// Reports the outcome of an action to the screens.
  private func report(_ task: StoreTask, number: Int) {
    lastAction = task
    Task { [weak self] in
      do {
        try await task.taken()
        self?.store.send(.ended(number: number, refusal: nil))
      } catch {
        self?.store.send(.ended(number: number, refusal: error))
      }
    }
  }

  private func say(_ text: String, isBad: Bool = false) { store.send(.said(text, isBad: isBad)) }

  private func showDetails(of id: Activity.ID) {
    guard let activity else { return }
    do {
      store.send(.found(try activity.details(of: id)))
    } catch {
      say("\(error)", isBad: true)
    }
  }

  private func connectionChanged() {
    for item in news.changed(of: client, hasContent: hasContent) {
      switch item {
      case .say(let text, let isBad): say(text, isBad: isBad)
      case .end(let reason):
        isForOtherFeature = client.isHubOfOtherFeature
        quit(because: reason)
      }
    }
    if case .stale = client.connection {
      clock?.start(after: .seconds(1), repeating: .seconds(1))
    } else {
      clock?.stop()
    }
    if client.connection == .live {
      do { try openJournal() } catch { say("\(error)", isBad: true) }
    }
    drawSoon()
  }

  private var content: ScreenContent {
    var content = ScreenContent(
      attendees: attendance.store.map { Array($0.attendees) }, connection: client.connection,
      path: settings.terminal.path, now: loop.now)
    content.hasParts = hasParts
    (content.goodbye, content.ownProcess) = (client.goodbye, getpid())
    content.wallTime = Int64(time(nil)) * 1000
    content.activity = activity?.entries
    content.examinedActivityCount = activity?.examinedCount ?? 0
    content.isLoadingActivity = activity?.hasOlder ?? false
    if todos?.isKnown != true { content.loading = [.todos] }
    content.loadedByteCount = client.loadedByteCount
    return content
  }

  // MARK: Drawing

  private func drawSoon() { host?.needsDrawing() }

  /// Brings what the screens show up to date.
  private func prepareFrame(_ size: CanvasSize) {
    guard !hasQuit else { return }
    attachShownParts()
    updateActivity()
    store.send(.contentChanged(content, size: size))
  }

  /// Reads the journal's new actions. A hub may store an action slightly later than it sends the change.
  private func updateActivity() {
    guard let activity, store.screens.tab == .activity else { return }
    let last = activity.revision
    do {
      try activity.update(store.screens.activityFilter)
    } catch {
      return say("\(error)", isBad: true)
    }
    // Some of the older ones at a time, so that keys are handled meanwhile.
    if activity.hasOlder {
      activityTimer?.start(after: .milliseconds(1))
      return
    }
    if last != activity.revision { activityAttempts = 0 }
    let revision = max(counter.revision, favourites.revision, todos?.revision ?? 0)
    guard activity.revision < revision, activityAttempts < 5 else { return }
    activityAttempts += 1
    activityTimer?.start(after: .milliseconds(200))
  }

  // MARK: The end

  /// Ends the program once the hub has acknowledged all actions; immediately on a second call or if the hub is away.
  private func quitWhenAcknowledged() {
    guard ending == nil, client.connection == .live, client.pendingActionCount > 0, let action = lastAction else {
      return quit()
    }
    ending = QuitProgress(
      waitingFor: action, on: loop,
      notice: { [weak self] in
        guard let self else { return }
        say(ConnectionNews.waiting(client.pendingActionCount), isBad: true)
        drawSoon()
      }, end: { [weak self] in self?.quit() })
  }

  private func quit(because reason: String? = nil) {
    guard !hasQuit else { return }
    hasQuit = true
    failure = failure ?? reason ?? ConnectionNews.unacknowledged(client.pendingActionCount)
    client.onConnectionChange = nil
    client.close()
    loop.stop()
  }
}

extension StoreClient {
  /// Attaches a part, with predictions unless the user has switched them off.
  fileprivate func attach<R: Reducer>(
    to path: (StatePath<State, State>) -> StatePath<State, R.State>, action: @escaping (R.Action) -> Action,
    _ reducer: R, _ settings: Session.Settings
  ) -> Attachment<R.State, R.Action> where R.State: Replicated {
    settings.predicts ? attach(to: path, action: action, predictingWith: reducer) : attach(to: path, action: action)
  }
}
