internal import Glibc
internal import ProgramOptions

/// Runs a terminal client from its command line to its exit.
final class TerminalLaunch<App: TerminalApp> {
  typealias State = App.Feature.State
  typealias Action = App.Feature.Action

  private let app: App
  private let about = App.description
  private let options: TerminalAppOptions

  /// Reads the command line.
  init(_ app: App) {
    self.app = app
    options = TerminalAppOptions(of: about)
  }

  /// Runs the program, and exits.
  func run() -> Never {
    var failure: String?
    do {
      let session = try ClientSession(app, about, options)
      try session.run()
      failure = session.failure
    } catch {
      failure = "\(error)"
    }
    if let failure {
      printError("\(about.name): \(failure)")
      exit(1)
    }
    exit(0)
  }
}

/// The connection of a terminal client and its screen.
private final class ClientSession<App: TerminalApp> {
  typealias State = App.Feature.State
  typealias Action = App.Feature.Action

  private let options: TerminalAppOptions
  private let loop: EventLoop
  private let client: StoreClient<State, Action>
  private let model = ClientModel<State, Action>()
  private let status: ConnectionStatus
  private let host: TerminalHost
  private let outcomes: ActionOutcomes
  private var ending: QuitProgress?
  /// Runs until the screen says that the program is connecting.
  private var connectTimer: Timer?
  /// Runs while the age of the state is shown.
  private var clock: Timer?
  private var hasContent = false
  private var news: ConnectionNews
  private var hasQuit = false
  /// The reason why the program ends with a failure.
  private(set) var failure: String?

  init(_ app: App, _ about: TerminalAppDescription, _ options: TerminalAppOptions) throws {
    self.options = options
    news = ConnectionNews(waitsForHub: options.waitsForHub)
    loop = try EventLoop()
    try loop.drainMainQueue()
    var replica = ReplicaOptions()
    replica.name = about.name
    // A user is watching: a hub that has stopped must not count as live.
    (replica.probeInterval, replica.timeout) = (.seconds(2), .seconds(5))
    // The user chose them by what was on the screen.
    replica.sendsAfterLoss = false
    client =
      options.predicts
      ? try StoreClient(loop: loop, path: options.path, options: replica, predictingWith: app.feature)
      : try StoreClient(loop: loop, path: options.path, options: replica)
    status = ConnectionStatus(about.name, path: options.path, now: loop.now)
    outcomes = try ActionOutcomes(on: loop)
    host = try TerminalHost(
      on: loop, ClientFrame(app: app, model: model, status: status), theme: options.theme,
      takesMouse: options.takesMouse)
  }

  func run() throws {
    client.onConnectionNotice = nil
    client.onConnectionChange = { [weak self] in self?.connectionChanged() }
    // The screen has no room for it; it is printed at the end.
    client.onDivergence = { [weak self] in self?.failure = "\($0)" }
    client.onStore = { [weak self] in self?.show($0) }
    client.onProgress = { [weak self] in self?.loaded() }
    host.onQuit = { [weak self] end in self?.ends(end) }
    outcomes.onRefusal = { [weak self] in self?.host.actionRefused("\($0)") }
    outcomes.onCount = { [weak self] in self?.status.pendingCount = $0 }
    clock = try Timer(on: loop) { [weak self] in self?.tick() }
    connectTimer = try Timer(on: loop) { [weak self] in self?.openTerminal() }
    connectTimer?.start(after: options.waitsForHub ? .zero : .milliseconds(500))
    client.start()
    loop.run()
    host.close()
  }

  private func show(_ store: Store<State, Action>) {
    let outcomes = outcomes
    model.store = Store(core: ReportingCore(store.core) { outcomes.sent($0) })
    hasContent = true
    openTerminal()
  }

  private func loaded() {
    status.loadedByteCount = client.loadedByteCount
    if client.loadedByteCount > 0 { openTerminal() }
  }

  private func openTerminal() {
    guard !hasQuit, !host.isOpen else { return }
    do { try host.open() } catch { quit(because: "\(error)") }
  }

  private func tick() { status.now = loop.now }

  private func connectionChanged() {
    (status.connection, status.goodbye, status.now) = (client.connection, client.goodbye, loop.now)
    for item in news.changed(of: client, hasContent: hasContent) {
      switch item {
      case .say(let text, let isBad): host.say(text, isBad: isBad)
      case .end(let reason): quit(because: reason)
      }
    }
    if case .stale = client.connection {
      clock?.start(after: .seconds(1), repeating: .seconds(1))
    } else {
      clock?.stop()
    }
  }

  // MARK: The end

  private func ends(_ end: TerminalHost.End) {
    let isPending = client.connection == .live && client.pendingActionCount > 0
    guard end == .quit, ending == nil, isPending, let last = outcomes.last else { return quit() }
    ending = QuitProgress(
      waitingFor: last, on: loop,
      notice: { [weak self] in
        guard let self else { return }
        host.say(ConnectionNews.waiting(client.pendingActionCount), isBad: true)
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
