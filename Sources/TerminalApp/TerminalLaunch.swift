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

/// The client of a terminal app, and its session.
private final class ClientSession<App: TerminalApp> {
  typealias State = App.Feature.State
  typealias Action = App.Feature.Action

  private let loop: EventLoop
  private let client: StoreClient<State, Action>
  private let model = ClientModel<State, Action>()
  private let session: TerminalSession
  private let outcomes: ActionOutcomes

  init(_ app: App, _ about: TerminalAppDescription, _ options: TerminalAppOptions) throws {
    loop = try EventLoop()
    try loop.drainMainQueue()
    let (settings, model) = (options.settings, model)
    let replica = settings.replicaOptions(name: about.name)
    client =
      options.predicts
      ? try StoreClient(loop: loop, path: settings.path, options: replica, predictingWith: app.feature)
      : try StoreClient(loop: loop, path: settings.path, options: replica)
    outcomes = try ActionOutcomes(on: loop)
    let status = ConnectionStatus(about.name, path: settings.path, now: loop.now)
    session = try TerminalSession(status, settings, client, on: loop) {
      ClientContent(app: app, model: model, status: status)
    }
  }

  /// The reason why the program ends with a failure.
  var failure: String? { session.failure }

  func run() throws {
    session.follow(client, outcomes)
    client.onStore = { [weak self] in self?.show($0) }
    try session.run { client.start() }
  }

  private func show(_ store: Store<State, Action>) {
    let outcomes = outcomes
    model.store = Store(core: ReportingCore(store.core) { outcomes.sent($2) })
    session.show()
  }
}

extension TerminalSession {
  /// Shows the connection of a client, and the outcomes of the user's actions.
  package func follow<State, Action>(_ client: StoreClient<State, Action>, _ outcomes: ActionOutcomes) {
    client.onConnectionNotice = nil
    client.onConnectionChange = { [weak self] in self?.connectionChanged() }
    // The screen has no room for it; it is printed at the end.
    client.onDivergence = { [weak self] in self?.failure = "\($0)" }
    client.onProgress = { [weak self] in self?.loaded() }
    outcomes.onRefusal = { [weak self] in self?.host.actionRefused("\($0)") }
    outcomes.onChange = { [weak self] in
      guard let self else { return }
      (status.pendingCount, status.pendingMarks) = ($0, $1)
    }
    awaitLastActions = { [weak client] done in
      guard let client, client.pendingActionCount > 0, let last = outcomes.last else { return false }
      Task {
        await last.finish()
        done()
      }
      return true
    }
  }
}
