import HubCore
import ReplicaCore
import TestFeatures
import TestSupport
import TurnLog
import Wire

/// A hub of the hostile feature, its log in memory, and two clients: one with the feature's types, one that knows only
/// the schema. Everything that is sent arrives in the same round.
final class HostileWorld {
  typealias State = Hostile.State
  typealias Action = Hostile.Action

  final class Client {
    var replica: ReplicaCore
    let mirror: any Mirror
    /// The bytes of its state; nil before it has one.
    let bytes: () -> [UInt8]?
    var connection: ConnectionID?
    var isConnecting = false
    var outcome: Outcome?
    var faults: [String] = []

    init(_ schema: Schema?, _ mirror: any Mirror, seed: UInt64, _ bytes: @escaping () -> [UInt8]?) {
      replica = ReplicaCore(schema: schema, random: SplitMix(seed: seed))
      (self.mirror, self.bytes) = (mirror, bytes)
      replica.subscribe(mirror, to: [])
      replica.start()
    }
  }

  enum Outcome: Equatable {
    case applied
    case refused(code: UInt64, reason: String)
    case lost(String)
  }

  private(set) var engine = FeatureEngine(initialState: State(), reducer: Hostile())
  private var core: HubCore
  private var log: [LoggedTurn] = []
  private var snapshot: (bytes: [UInt8], revision: UInt64, position: UInt64)?
  private(set) var clients: [Client] = []
  private var now = Duration.seconds(1)
  private var random: SplitMix
  /// What the hub reported as its own failures.
  private(set) var reports: [String] = []

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
    let recovery = Recovery(of: engine)
    core = HubCore(engine, history: recovery.history(id: 1, sessions: []), random: SplitMix(seed: seed))
    let (typed, untyped) = (TypedMirror<State>(), ValueMirror())
    let schema = Schema(state: State.self, action: Action.self)
    clients = [
      Client(schema, typed, seed: random.next()) { typed.part?.encoded() },
      Client(nil, untyped, seed: random.next()) { untyped.value?.encoded() },
    ]
    settle()
  }

  /// Sends an action from a client and returns its outcome.
  func send(_ action: Action, from index: Int) throws -> Outcome? {
    clients[index].outcome = nil
    try clients[index].replica.send(action)
    settle()
    return clients[index].outcome
  }

  /// Lets both clients compare the hash of their state with the hub's.
  func verify() {
    for index in clients.indices { clients[index].replica.verify(clients[index].mirror) }
    settle()
  }

  /// Ends the hub, and starts another one from the log: from the last snapshot, or from the first turn.
  func restart() throws {
    for index in clients.indices { cut(index) }
    engine = FeatureEngine(initialState: State(), reducer: Hostile())
    var recovery = Recovery(of: engine)
    let schema = Schema(state: State.self, action: Action.self)
    var first: UInt64 = 0
    if let snapshot {
      let bytes = snapshot.bytes
      try recovery.restore(
        snapshot: bytes.span.bytes, writtenFor: schema, at: snapshot.revision, position: snapshot.position)
      first = snapshot.position
    }
    for turn in log where turn.position > first { try recovery.apply(turn, writtenFor: schema) }
    core = HubCore(
      engine, history: recovery.history(id: 1, sessions: sessions), random: SplitMix(seed: random.next()))
    settle()
  }

  /// Saves the state as a snapshot, as the log of a hub does now and then.
  func saveSnapshot() {
    snapshot = (engine.state.encoded(), core.revision, log.last?.position ?? 0)
  }

  private var sessions: [LoggedSession] {
    var last: [SessionID: LoggedSession] = [:]
    for session in log.flatMap(\.sessions) {
      if last[session.id]?.advance(to: session) == nil { last[session.id] = session }
    }
    return last.values.filter { !$0.hasEnded }
  }

  func cut(_ index: Int) {
    guard let connection = clients[index].connection else { return }
    clients[index].connection = nil
    core.ended(connection)
    clients[index].replica.disconnected(reason: "cut", at: now)
  }

  // MARK: Rounds

  /// Delivers everything until nobody has anything more to say.
  func settle() {
    var quietRounds = 0
    for _ in 0..<100 where quietRounds < 2 {
      now += .seconds(6)
      var isQuiet = true
      for index in clients.indices { isQuiet = turn(of: index) && isQuiet }
      turnOfHub()
      let isDone = clients.allSatisfy { $0.replica.connection == .live && $0.replica.pendingActionCount == 0 }
      quietRounds = isQuiet && isDone ? quietRounds + 1 : 0
    }
  }

  /// Returns true if the client had nothing to do.
  private func turn(of index: Int) -> Bool {
    if let deadline = clients[index].replica.deadline, deadline <= now { clients[index].replica.expire(at: now) }
    if clients[index].isConnecting {
      clients[index].isConnecting = false
      clients[index].connection = core.connected(Peer(process: 1, user: 1, group: 1), at: now)
      clients[index].replica.connected(at: now)
    }
    clients[index].replica.endTurn(at: now)
    let (commands, output) = (clients[index].replica.commands, clients[index].replica.output.bytes)
    clients[index].replica.clear()
    for command in commands {
      switch command {
      case .connect: clients[index].isConnecting = true
      case .disconnect:
        if let connection = clients[index].connection { core.ended(connection) }
        clients[index].connection = nil
      case .write(let range):
        guard let connection = clients[index].connection else { continue }
        let (bytes, time) = (Array(output[range]), now)
        core.received(bytes.span.bytes, on: connection, at: time)
      case .applied: clients[index].outcome = .applied
      case .failed(_, _, .rejected(let code, let reason)):
        clients[index].outcome = .refused(code: code, reason: reason)
      case .failed(_, _, let error): clients[index].outcome = .lost("\(error)")
      case .diverged(_, let divergence): clients[index].faults.append("\(divergence)")
      case .connectionChanged:
        if case .stale(_, _, let reason) = clients[index].replica.connection, reason != "cut" {
          clients[index].faults.append(reason)
        }
        if case .refused(let reason) = clients[index].replica.connection { clients[index].faults.append(reason) }
      case .store, .changed: break
      }
    }
    return commands.isEmpty
  }

  private func turnOfHub() {
    core.endTurn(at: now, flushing: true)
    let (commands, output, ranges) = (core.commands, core.output.bytes, core.ranges)
    for command in commands {
      if case .store = command { log += core.turnsToStore }
      if case .report(let index) = command, case .failed = core.reports[index] {
        reports.append("\(core.reports[index])")
      }
    }
    core.clear()
    for command in commands {
      switch command {
      case .write(let id, let run):
        guard let index = clients.firstIndex(where: { $0.connection == id }) else { continue }
        let (bytes, time) = (ranges[run].flatMap { output[$0] }, now)
        clients[index].replica.received(bytes.span.bytes, at: time)
      case .close(let id), .abort(let id):
        if let index = clients.firstIndex(where: { $0.connection == id }) {
          clients[index].connection = nil
          clients[index].replica.disconnected(reason: "closed", at: now)
        }
        core.ended(id)
      case .store, .report, .effect, .resumeReading, .saveSnapshot, .releaseMemory, .forwarding: break
      }
    }
    if let last = log.last { core.stored(upTo: last.position, at: now) }
  }
}
