import ComposableArchitecture
import Features
import HubCore
import ReplicaCore
import TestSupport
import Wire

/// A world with the feature of `storehubd`.
typealias AppWorld = World<AppFeature.State, AppFeature.Action>

extension World where State == AppFeature.State, Action == AppFeature.Action {
  convenience init(
    seed: UInt64, clientCount: Int, options: ReplicaOptions = ReplicaOptions(), toolCount: Int = 0
  ) {
    self.init(seed: seed, clientCount: clientCount, engine: Self.engine(), options: options, toolCount: toolCount) {
      Self.randomAction(seenBy: $1, &$0)
    }
  }

  /// The feature at revision 0.
  static func engine() -> FeatureEngine<State, Action> {
    // The clock stands still, so effects that wait for it are not part of the history.
    FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature()) { $0.continuousClock = TestClock() }
  }

  /// Returns an action without effects, chosen from the state that the client sees, which may be outdated.
  private static func randomAction(seenBy state: AppFeature.State?, _ random: inout SplitMix) -> AppFeature.Action {
    let ids = state.map { Array($0.todos.todos.ids) } ?? []
    let (id, other) = (ids.randomElement(using: &random) ?? 0, ids.randomElement(using: &random))
    let actions: [AppFeature.Action] = [
      .counter(.incrementButtonTapped), .counter(.decrementButtonTapped), .counter(.factAlertDismissed),
      .todos(.addButtonTapped(text: "todo")), .todos(.addButtonTapped(text: "")), .todos(.deleteButtonTapped(id: id)),
      .todos(.moved(id: id, before: other)), .todos(.todos(.element(id: id, action: .textChanged("Änderung")))),
      .todos(.todos(.element(id: id, action: .completionChanged(.random(using: &random))))),
      .todos(.sortCompletedTodos), .todos(.clearCompletedButtonTapped), .favourites(.view(.incrementButtonTapped)),
      .favourites(.view(.favouriteButtonTapped)), .favourites(.view(.favouritesButtonTapped)),
      .favourites(.destination(.presented(.favourites(.deleteButtonTapped(Int.random(in: 0...3, using: &random)))))),
      .favourites(.destination(.dismiss)),
    ]
    return actions.randomElement(using: &random) ?? .counter(.incrementButtonTapped)
  }

  func send(_ action: Counter.Action, from client: Client) throws { try send(.counter(action), from: client) }
}

/// A hub and its clients with a network that disconnects, delays and splits, all determined by a seed, for tests of one
/// mechanism with access to all parts. `Simulation` has all faults and all checks.
final class World<State: Replicated & Equatable, Action: WireValue> {
  final class Client {
    var replica: ReplicaCore
    /// The whole state; nil when only parts are subscribed to.
    let whole: TypedMirror<State>?
    /// The whole state, read by the schema alone.
    let untyped: ValueMirror?
    var connection: ConnectionID?
    var isConnecting = false
    var toHub: [UInt8] = []
    var fromHub: [UInt8] = []
    /// True if the hub's socket to this client is full.
    var isBlocked = false
    var pending: Set<ActionTicket> = []
    /// The client's prediction; nil if it does not predict.
    var prediction: Prediction<State, Action>?
    var applied = 0
    var failed: [ActionError] = []
    var divergences: [Divergence] = []
    var lastRevisions: [ObjectIdentifier: UInt64] = [:]
    /// The parts to which it subscribes in addition to the whole state.
    var parts: [Part] = []
    /// The oracle's view of each mirror that was ever subscribed.
    var contents: [ObjectIdentifier: Part] = [:]

    /// A mirror and its place.
    struct Part {
      let mirror: any Mirror
      let path: [PathStep]
      /// The bytes of its value; nil if it has none.
      let bytes: () -> [UInt8]?
      /// The bytes of its value in a state; nil for the part at `path`.
      var view: ((State) -> [UInt8])?

      /// The bytes that it should have in a state.
      func expected(in state: State?) -> [UInt8]? {
        guard let state, let view else { return state?.part(at: path[...])?.encoded() }
        return view(state)
      }
    }

    /// Creates a client; without a schema it uses the hub's.
    init(seed: UInt64, schema: Schema?, options: ReplicaOptions, mirrorsUntyped: Bool) {
      replica = ReplicaCore(schema: schema, options: options, random: SplitMix(seed: seed))
      whole = options.subscribesToWholeState && schema != nil ? TypedMirror() : nil
      untyped = options.subscribesToWholeState && mirrorsUntyped ? ValueMirror() : nil
      if let whole { subscribe(whole, to: []) }
      if let untyped { subscribe(untyped, to: []) }
      replica.onSettled = { [weak self] in self?.settled() }
    }

    /// The state to which the prediction applies the pending actions.
    private(set) var settledState: State?

    func settled() {
      settledState = state
      _ = prediction?.settle(on: state)
    }

    var state: State? { whole?.part }
    /// The state that a user sees.
    var shownState: State? { prediction?.state ?? whole?.part }

    @discardableResult
    func subscribe<Value>(_ mirror: TypedMirror<Value>, to path: [PathStep]) -> Part {
      subscribe(mirror, to: path) { mirror.part?.encoded() }
    }

    @discardableResult
    func subscribe(_ mirror: ValueMirror, to path: [PathStep]) -> Part {
      subscribe(mirror, to: path) { mirror.value?.encoded() }
    }

    private func subscribe(_ mirror: any Mirror, to path: [PathStep], _ bytes: @escaping () -> [UInt8]?) -> Part {
      replica.subscribe(mirror, to: path)
      let part = Part(mirror: mirror, path: path, bytes: bytes)
      contents[ObjectIdentifier(mirror)] = part
      return part
    }
  }

  typealias Violation = WorldViolation

  var random: SplitMix
  private(set) var engine: FeatureEngine<State, Action>
  var hub: HubCore
  var clients: [Client] = []
  var now = Duration.seconds(1)
  private let record: StateRecord<State>
  /// Forged states, to check that the oracle detects differences.
  var forgedHistory: [UInt64: State] = [:]
  private(set) var sentCount = 0
  /// False if a test has made a state wrong on purpose.
  var checksStates = true
  private let randomAction: (inout SplitMix, State?) -> Action

  init(
    seed: UInt64, clientCount: Int, engine: FeatureEngine<State, Action>, limits: HubLimits = HubLimits(),
    options: ReplicaOptions = ReplicaOptions(), toolCount: Int = 0, mirrorsUntyped: Bool = true,
    record: StateRecord<State> = StateRecord(), randomAction: @escaping (inout SplitMix, State?) -> Action
  ) {
    random = SplitMix(seed: seed)
    self.engine = engine
    hub = HubCore(engine, limits: limits, random: SplitMix(seed: seed &+ 1))
    (self.record, self.randomAction) = (record, randomAction)
    record.begin(engine.state)
    let schema = Schema(state: State.self, action: Action.self)
    clients = (0..<clientCount).map {
      let isTool = $0 >= clientCount - toolCount
      return Client(
        seed: seed &+ 100 &+ UInt64($0), schema: isTool ? nil : schema, options: options, mirrorsUntyped: mirrorsUntyped
      )
    }
    for client in clients { client.replica.start() }
  }

  /// Replaces the hub by one without the history.
  func restartHub(_ engine: FeatureEngine<State, Action>) {
    self.engine = engine
    hub = HubCore(engine, random: SplitMix(seed: 99))
    record.begin(engine.state)
  }

  /// Lets the hub of another process take over all connections. Any part of the output for a client may have been
  /// accepted by the socket.
  func handOver(to engine: FeatureEngine<State, Action>) throws {
    try turn()
    var unsent: [[UInt8]] = []
    for client in clients {
      let taken = Int.random(in: 0...client.fromHub.count, using: &random)
      unsent.append(Array(client.fromHub[taken...]))
      client.fromHub.removeLast(client.fromHub.count - taken)
    }
    let record = hub.handOver { id in
      clients.firstIndex { $0.connection == id }.map { (UInt64($0), unsent[$0]) }
    }
    guard let record else { throw WorldViolation.nothingHandedOver }
    let read = try HandOver(reading: record.encoded())
    let history = try read.restore(engine, id: random.next())
    try read.check(against: engine, history)
    self.engine = engine
    hub = HubCore(engine, limits: hub.limits, history: history?.continuing(read), random: SplitMix(seed: random.next()))
    for (index, client) in clients.enumerated() where client.connection != nil {
      guard let place = read.tokens.firstIndex(of: UInt64(index)) else { throw WorldViolation.nothingHandedOver }
      let id = hub.connected(Peer(process: 1, user: 1, group: 1), at: now, isTakenOver: true)
      client.connection = id
      _ = hub.takeOver(read, place, on: id, at: now)
      for command in hub.commands { perform(command) }
      hub.clear()
    }
    try turn()
  }

  /// Performs a random step.
  func step() throws {
    let client = clients[Int.random(in: 0..<clients.count, using: &random)]
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<30: try act(client)
    case 30..<60: deliver(client, atMost: Int.random(in: 1...40, using: &random))
    case 60..<85: deliver(client, atMost: .max)
    case 85..<90: cut(client)
    case 90..<95: client.isBlocked.toggle()
    default: now += .milliseconds(Int.random(in: 1...2000, using: &random))
    }
    try turn()
  }

  /// Delivers all bytes and lets all clients reconnect.
  func settle() throws {
    for client in clients { client.isBlocked = false }
    var quietTurns = 0
    for _ in 0..<400 where quietTurns < 3 {
      for client in clients { deliver(client, atMost: .max) }
      now += .milliseconds(100)
      try turn()
      quietTurns = clients.contains { !isQuiet($0) } ? 0 : quietTurns + 1
    }
  }

  /// Returns true if no bytes are on their way to or from a client.
  private func isQuiet(_ client: Client) -> Bool {
    guard client.connection != nil, client.toHub.isEmpty, client.fromHub.isEmpty else { return false }
    return client.replica.pendingActionCount == 0 && client.replica.connection == .live
  }

  func act(_ client: Client) throws {
    try send(randomAction(&random, client.shownState), from: client)
  }

  func send(_ action: Action, from client: Client) throws {
    let ticket = try client.replica.send(action)
    if client.pending.isEmpty { client.settled() }
    client.pending.insert(ticket)
    client.prediction?.sent(action, as: ticket, on: client.state)
    sentCount += 1
  }

  /// Delivers bytes in both directions, and completes attempts to connect.
  func deliver(_ client: Client, atMost limit: Int) {
    if client.isConnecting {
      client.isConnecting = false
      client.connection = hub.connected(Peer(process: 1, user: 1, group: 1), at: now)
      client.replica.connected(at: now)
    }
    guard let connection = client.connection else { return }
    let up = Array(client.toHub.prefix(limit))
    client.toHub.removeFirst(up.count)
    if !up.isEmpty { receive(up, on: connection) }
    guard !client.isBlocked, client.connection == connection else { return }
    let down = Array(client.fromHub.prefix(limit))
    client.fromHub.removeFirst(down.count)
    if !down.isEmpty { receive(down, by: client) }
    if client.fromHub.isEmpty { hub.drained(connection, at: now) }
  }

  private func receive(_ bytes: [UInt8], on connection: ConnectionID) {
    let time = now
    let span = bytes.span.bytes
    hub.received(span, on: connection, at: time)
  }

  private func receive(_ bytes: [UInt8], by client: Client) {
    let time = now
    let span = bytes.span.bytes
    client.replica.received(span, at: time)
  }

  func cut(_ client: Client) {
    guard let connection = client.connection else { return }
    drop(client)
    hub.ended(connection)
    client.replica.disconnected(reason: "cut", at: now)
  }

  private func drop(_ client: Client) {
    client.connection = nil
    (client.toHub, client.fromHub) = ([], [])
  }

  /// Ends a turn of the hub and of every client.
  func turn() throws {
    if let deadline = hub.deadline, deadline <= now { hub.expire(at: now) }
    hub.endTurn(at: now, flushing: true)
    guard record.endTurn(engine.state, at: hub.revision) else { throw Violation.wrongRecord(revision: hub.revision) }
    for command in hub.commands { perform(command) }
    hub.clear()
    for client in clients { try turn(client) }
  }

  private func perform(_ command: HubCommand) {
    switch command {
    case .write(let id, let run):
      guard let client = clients.first(where: { $0.connection == id }) else { return }
      for range in hub.ranges[run] { client.fromHub += hub.output.bytes[range] }
      // Bytes on the wire count as not accepted, so that the hub coalesces.
      hub.noteBusy(id)
    case .close(let id), .abort(let id):
      if let client = clients.first(where: { $0.connection == id }) {
        receive(client.fromHub, by: client)
        drop(client)
        client.replica.disconnected(reason: "closed", at: now)
      }
      hub.ended(id)
    case .report, .effect, .store, .resumeReading, .saveSnapshot, .releaseMemory, .forwarding: break
    }
  }

  private func turn(_ client: Client) throws {
    if let deadline = client.replica.deadline, deadline <= now { client.replica.expire(at: now) }
    client.replica.endTurn(at: now)
    for command in client.replica.commands {
      switch command {
      case .connect: client.isConnecting = true
      case .disconnect:
        if let connection = client.connection {
          drop(client)
          hub.ended(connection)
        }
      case .write(let range):
        // Output for a connection that has just ended is lost.
        if client.connection != nil { client.toHub += Array(client.replica.output.bytes[range]) }
      case .changed(let mirror, _): try check(mirror, of: client)
      case .store, .connectionChanged: break
      case .diverged(_, let divergence):
        guard !checksStates else { throw Violation.stateIsNotTheHubs(revision: divergence.revision) }
        client.divergences.append(divergence)
      case .applied(let ticket, _):
        guard client.pending.remove(ticket) != nil else { throw Violation.outcomeWithoutAction }
        client.prediction?.ended(ticket)
        client.applied += 1
      case .failed(let ticket, _, let error):
        guard client.pending.remove(ticket) != nil else { throw Violation.outcomeWithoutAction }
        client.prediction?.ended(ticket)
        client.failed.append(error)
      }
    }
    if !client.replica.commands.isEmpty { client.prediction?.rebase() }
    client.replica.clear()
  }

  private func check(_ mirror: any Mirror, of client: Client) throws {
    // The subscription may have ended in the meantime.
    let id = ObjectIdentifier(mirror)
    guard client.replica.isSubscribed(mirror), let part = client.contents[id], let revision = mirror.revision else {
      return
    }
    let last = client.lastRevisions[id] ?? 0
    guard revision >= last else { throw Violation.revisionWentBack(from: last, to: revision) }
    client.lastRevisions[id] = revision
    let state = forgedHistory[revision] ?? record.states[revision]
    guard !checksStates || part.bytes() == part.expected(in: state) else {
      throw Violation.stateIsNotTheHubs(revision: revision)
    }
  }
}

enum WorldViolation: Error, Equatable {
  case revisionWentBack(from: UInt64, to: UInt64)
  case stateIsNotTheHubs(revision: UInt64)
  case outcomeWithoutAction
  case wrongRecord(revision: UInt64)
  case nothingHandedOver
}
