import ComposableArchitecture
import EventLoop
import Features
import Glibc
import ProgramOptions
import ReplicaCore
import StoreClient
import Terminal
import TerminalViews
import Wire

// A terminal on the hub's shared state: what one changes, all see.

let options = ProgramOptions(
  program: "storeterm", purpose: "Shows the store of a hub in a terminal, and drives it by keys.",
  options: [
    .init("socket", short: "s", argument: "PATH", "the hub's socket; default \(defaultSocketPath())"),
    .init("wait", short: "w", "wait for a hub that is not there yet, instead of saying so and exiting"),
  ])
let (path, isPatient) = options.read { parsed in
  (parsed.string("socket") ?? defaultSocketPath(), parsed.flag("wait"))
}

/// The program's parts, tied together.
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
  private var resize: Signal?
  private var clock: Timer?
  private var exitSignals: [SignalWatch] = []
  private(set) var failure: String?

  init() throws {
    loop = try EventLoop()
    try loop.drainMainQueue()
    var options = ReplicaOptions()
    options.name = "storeterm \(storeHubVersion)"
    client = try StoreClient(loop: loop, path: path, options: options)
    attendance = client.attachToHub { $0 }
  }

  func run() throws {
    client.onConnectionChange = { [weak self] in self?.connectionChanged() }
    // The screen is no place for it; it is told at the end.
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
    if isPatient { try openTerminal() }
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
      terminal.readKeys { self?.pressed($0) }
    }
    try keys.start(.readable)
    self.keys = consume keys
    // After ncurses has installed its own handler, so that this one stays.
    resize = try Signal(on: loop, SIGWINCH) { [weak self] in
      terminal.resized()
      self?.draw()
    }
    draw()
  }

  private func pressed(_ key: Key) {
    switch screens.pressed(key, content) {
    case .send(let action): store?.send(action)
    case .quit: quit()
    case nil: draw()
    }
  }

  private func connectionChanged() {
    switch client.connection {
    case .connecting(_, let failure?) where !isPatient && terminal == nil:
      quit(because: "\(failure) --wait waits for a hub.")
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
    guard let terminal else { return }
    let content = content
    screens.follow(content)
    terminal.draw { screens.draw(content, on: &$0) }
  }

  private func quit(because reason: String? = nil) {
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
