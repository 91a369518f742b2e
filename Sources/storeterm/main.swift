import ComposableCore
import EventLoop
import Features
import Glibc
import ProgramOptions
import ReplicaCore
import StoreClient
import Terminal
import TerminalViews
import Wire

// A terminal client: shows the shared state of a hub, and sends it actions.

let options = ProgramOptions(
  program: "storeterm", purpose: "Shows the store of a hub in a terminal, and changes it by keys.",
  options: [
    .init("socket", short: "s", argument: "PATH", "the hub's socket", default: defaultSocketPath()),
    .init("wait", short: "w", "wait for the hub if it is not running yet"),
  ])
let (path, waitsForHub) = options.read { (parsed) throws(UsageError) -> (String, Bool) in
  (try parsed.socketPath("socket", default: defaultSocketPath()), parsed.flag("wait"))
}
/// The time that the hub has to acknowledge the last actions when the user quits.
let quitTimeout = Duration.seconds(2)

/// Connects the parts of the program.
final class Session {
  private let loop: EventLoop
  private let client: StoreClient<AppFeature.State, AppFeature.Action>
  private var terminal: Terminal?
  private var store: StoreOf<AppFeature>?
  private var screens = Screens()
  private var subscription: StoreSubscription?
  private let attendance: Attachment<HubState, Never>
  private var attendanceSubscription: StoreSubscription?
  private var keys: Poll?
  /// Reads keys that the poll does not announce.
  private var moreKeys: Timer?
  private var lastAction: StoreTask?
  /// Runs while the hub has actions to acknowledge before the program ends.
  private var quitTimer: Timer?
  private var resize: Signal?
  private var clock: Timer?
  private var exitSignals: [SignalWatch] = []
  private var hasQuit = false
  /// The reason why the program ends with a failure.
  private(set) var failure: String?

  init() throws {
    loop = try EventLoop()
    try loop.drainMainQueue()
    var options = ReplicaOptions()
    options.name = "storeterm \(storeHubVersion)"
    // A user is watching: a hub that has stopped must not count as live.
    (options.probeInterval, options.timeout) = (.seconds(2), .seconds(5))
    client = try StoreClient(loop: loop, path: path, options: options)
    attendance = client.attachToHub { $0 }
  }

  func run() throws {
    client.onConnectionChange = { [weak self] in self?.connectionChanged() }
    // There is no room for it on the screen; it is printed at the end.
    client.onDivergence = { [weak self] in self?.failure = "\($0)" }
    client.onStore = { [weak self] in self?.attach($0) }
    attendance.onChange = { [weak self] in
      guard let self else { return }
      attendanceSubscription = attendance.store?.subscribe { [weak self] _ in self?.draw() }
    }
    clock = try Timer(on: loop) { [weak self] in self?.draw() }
    for number in [SIGINT, SIGTERM, SIGHUP] {
      exitSignals.append(try SignalWatch(on: loop, number) { [weak self] in self?.quit() })
    }
    if waitsForHub { try openTerminal() }
    client.start()
    loop.run()
    terminal?.close()
  }

  private func attach(_ store: StoreOf<AppFeature>) {
    do {
      try openTerminal()
      self.store = store
      subscription = store.subscribe { [weak self] _ in self?.draw() }
    } catch {
      quit(because: "\(error)")
    }
  }

  private func openTerminal() throws {
    guard terminal == nil else { return }
    let terminal = try Terminal()
    self.terminal = terminal
    let keys = try Poll(on: loop, descriptor: terminal.inputDescriptor) { [weak self] events in
      guard case .success = events else { return self?.quit() ?? () }
      self?.readKeys()
    }
    moreKeys = try Timer(on: loop) { [weak self] in self?.readKeys() }
    try keys.start(.readable)
    self.keys = consume keys
    // After ncurses has installed its own handler, so that this one stays.
    resize = try Signal(on: loop, SIGWINCH) { [weak self] in
      terminal.resized()
      self?.draw()
    }
    draw()
  }

  private func readKeys() {
    guard let terminal else { return }
    // The state does not change between the keys of one read.
    let content = content
    let hasMore = terminal.readKeys { pressed($0, content) }
    if hasMore { moreKeys?.start(after: .zero) }
    draw()
  }

  private func pressed(_ key: Key, _ content: ScreenContent) {
    switch screens.pressed(key, content) {
    case .quit: quitWhenAcknowledged()
    // A key that is typed after `q` is not meant for this program.
    case .send where quitTimer != nil: break
    case .send(let action): lastAction = store?.send(action)
    case nil: break
    }
  }

  private func connectionChanged() {
    switch client.connection {
    case .connecting(_, let failure?) where !waitsForHub && terminal == nil:
      quit(because: failureMessage(failure, hasReachedHub: !client.hubName.isEmpty))
    case .refused(let reason):
      quit(because: reason)
    case .stale:
      clock?.start(after: .seconds(1), repeating: .seconds(1))
    default:
      clock?.stop()
    }
    draw()
  }

  private var content: ScreenContent {
    ScreenContent(
      state: store?.state, attendees: attendance.store.map { Array($0.attendees) }, connection: client.connection,
      path: path, now: loop.now)
  }

  private func draw() {
    guard let terminal, !hasQuit else { return }
    let content = content
    screens.follow(content)
    terminal.draw { screens.draw(content, on: &$0) }
  }

  /// Ends the program once the hub has acknowledged all actions. It ends at once on a second call, and if the hub is away.
  private func quitWhenAcknowledged() {
    guard quitTimer == nil, client.connection == .live, client.pendingActionCount > 0, let action = lastAction else {
      return quit()
    }
    quitTimer = try? Timer(on: loop) { [weak self] in self?.quit() }
    quitTimer?.start(after: quitTimeout)
    Task { [weak self] in
      await action.finish()
      self?.quit()
    }
  }

  private func quit(because reason: String? = nil) {
    guard !hasQuit else { return }
    hasQuit = true
    let count = client.pendingActionCount
    if count > 0, failure == nil, reason == nil {
      failure = "the hub has not acknowledged \(count == 1 ? "1 action" : "\(count) actions"), which may be lost"
    }
    failure = failure ?? reason
    client.onConnectionChange = nil
    client.close()
    loop.stop()
  }
}

/// A signal's watch where an array wants to keep it.
final class SignalWatch {
  private let signal: Signal

  init(on loop: EventLoop, _ number: CInt, _ onSignal: @escaping () -> Void) throws(UVError) {
    signal = try Signal(on: loop, number, onSignal)
  }
}

do {
  let session = try Session()
  try session.run()
  if let failure = session.failure {
    printError("storeterm: \(failure)")
    exit(1)
  }
} catch {
  printError("storeterm: \(error)")
  exit(1)
}
