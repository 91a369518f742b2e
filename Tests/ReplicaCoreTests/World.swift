import ComposableArchitecture
import Features
import HubCore
import ReplicaCore
import TestSupport
import Wire

/// A hub and its clients with a network between them that cuts, delays and splits: one seed, one history.
final class World {
  final class Client {
    var replica: ReplicaCore<AppFeature.State, AppFeature.Action>
    var connection: ConnectionID?
    var isConnecting = false
    var toHub: [UInt8] = []
    var fromHub: [UInt8] = []
    /// Whether the hub's socket to this client is full.
    var isBlocked = false
    var pending: Set<ActionTicket> = []
    var applied = 0
    var failed: [ActionError] = []
    var lastRevision: UInt64 = 0

    init(seed: UInt64) {
      replica = ReplicaCore(random: SplitMix(seed: seed))
    }
  }

  enum Violation: Error, Equatable {
    case revisionWentBack(from: UInt64, to: UInt64)
    case stateIsNotTheHubs(revision: UInt64)
    case outcomeWithoutAction
  }

  var random: SplitMix
  var hub: HubCore<AppFeature.State, AppFeature.Action>
  var clients: [Client] = []
  var now = Duration.seconds(1)
  var history: [UInt64: AppFeature.State] = [:]
  /// False memories, to see that the oracle would notice.
  var forgedHistory: [UInt64: AppFeature.State] = [:]
  private(set) var sentCount = 0

  init(seed: UInt64, clientCount: Int) {
    random = SplitMix(seed: seed)
    // The clock stands still: what the hub would do by itself a second later is no part of the history.
    hub = HubCore(initialState: AppFeature.State(), reducer: AppFeature(), random: SplitMix(seed: seed &+ 1)) {
      $0.continuousClock = TestClock()
    }
    history[0] = hub.state
    clients = (0..<clientCount).map { Client(seed: seed &+ 100 &+ UInt64($0)) }
    for client in clients { client.replica.start() }
  }

  /// One thing that can happen, drawn by chance.
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

  /// Lets everything arrive and everyone reconnect.
  func settle() throws {
    for client in clients { client.isBlocked = false }
    for _ in 0..<400 {
      for client in clients { deliver(client, atMost: .max) }
      now += .milliseconds(100)
      try turn()
    }
  }

  func act(_ client: Client) throws {
    try send(randomAction(seenBy: client), from: client)
  }

  func send(_ action: Counter.Action, from client: Client) throws {
    try send(.counter(action), from: client)
  }

  private func send(_ action: AppFeature.Action, from client: Client) throws {
    client.pending.insert(try client.replica.send(action))
    sentCount += 1
  }

  /// An action that makes the hub do nothing by itself, on what the client sees, which others may have changed already.
  private func randomAction(seenBy client: Client) -> AppFeature.Action {
    let ids = client.replica.state.map { Array($0.todos.todos.ids) } ?? []
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

  /// Moves bytes in both directions, and lets attempts to connect succeed.
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
    if client.fromHub.isEmpty { hub.drained(connection) }
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
    hub.endTurn()
    history[hub.revision] = hub.state
    for command in hub.commands { perform(command) }
    hub.clear()
    for client in clients { try turn(client) }
  }

  private func perform(_ command: HubCommand) {
    switch command {
    case .write(let id, let shared, let own):
      guard let client = clients.first(where: { $0.connection == id }) else { return }
      client.fromHub += Array(hub.output.bytes[shared]) + Array(hub.output.bytes[own])
      // What is on the wire counts as not yet taken, so that the hub coalesces.
      hub.isBusy(id)
    case .close(let id), .abort(let id):
      if let client = clients.first(where: { $0.connection == id }) {
        receive(client.fromHub, by: client)
        drop(client)
        client.replica.disconnected(reason: "closed", at: now)
      }
      hub.ended(id)
    case .report:
      break
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
      case .write(let range): client.toHub += Array(client.replica.output.bytes[range])
      case .stateChanged: try checkState(of: client)
      case .connectionChanged: break
      case .applied(let ticket):
        let done = client.pending.filter { $0 <= ticket }
        client.applied += done.count
        client.pending.subtract(done)
      case .failed(let ticket, let error):
        guard client.pending.remove(ticket) != nil else { throw Violation.outcomeWithoutAction }
        client.failed.append(error)
      }
    }
    client.replica.clear()
  }

  private func checkState(of client: Client) throws {
    let revision = client.replica.revision
    guard revision >= client.lastRevision else {
      throw Violation.revisionWentBack(from: client.lastRevision, to: revision)
    }
    client.lastRevision = revision
    guard client.replica.state == forgedHistory[revision] ?? history[revision] else {
      throw Violation.stateIsNotTheHubs(revision: revision)
    }
  }
}
