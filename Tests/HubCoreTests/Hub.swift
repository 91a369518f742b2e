import ComposableArchitecture
import Features
import HubCore
import TestSupport
import TurnLog
import Wire

typealias State = AppFeature.State
typealias Action = AppFeature.Action

/// A hub under test, with clients that send and receive frames; it takes the place of the shell, without sockets.
final class Hub {
  struct Frame: Equatable {
    var kind: FrameKind
    var scope: UInt16
    var revision: UInt64
    var flags: UInt8
    var payload: [UInt8]

    var value: CBORValue { get throws { try CBORValue(decoding: payload.span.bytes) } }

    /// The payload of an *applied* or a *pong*.
    var number: UInt64 { get throws { try UInt64(decoding: payload.span.bytes) } }

    func decoded<M: Message>(as _: M.Type = M.self) throws -> M { try M(decoding: payload.span.bytes) }
  }

  let engine: FeatureEngine<State, Action>
  var core: HubCore
  /// The turns that were passed to the log.
  private(set) var log: [LoggedTurn] = []
  /// The number of snapshots that the log was asked to save.
  private(set) var snapshotCount = 0
  /// The number of requests to return memory.
  private(set) var releaseCount = 0
  var now = Duration.seconds(1000)
  /// The plan of the next turns.
  var plan = TurnPlan()
  /// The connections whose sockets are full: writes to them are held back.
  var blocked: Set<ConnectionID> = []
  private(set) var closed: Set<ConnectionID> = []
  private(set) var reports: [HubReport] = []
  private(set) var startedEffects = 0
  /// What was asked of the replicated log.
  var forwarding: [ForwardingCommand] = []

  /// The actions of a session that the hub passes on.
  func forwarded(of session: ForwardedSession) -> [[UInt8]] {
    forwarding.flatMap { command -> [[UInt8]] in
      guard case .forward(let actions, session) = command else { return [] }
      return actions
    }
  }

  private var decoders: [ConnectionID: FrameDecoder] = [:]
  private var received: [ConnectionID: [Frame]] = [:]

  init(limits: HubLimits = HubLimits(), policy: AccessPolicy = .open) {
    engine = FeatureEngine(initialState: State(), reducer: AppFeature())
    core = HubCore(engine, limits: limits, policy: policy, name: "hub", random: SplitMix(seed: 7))
  }

  /// Creates a hub with a log, which stores nothing until `store`; after a restart, with the stored turns.
  init(
    recovering turns: [LoggedTurn], sessions: [LoggedSession] = [], durability: Durability = .sync,
    limits: HubLimits = HubLimits(), seed: UInt64 = 7, continuing handOver: HandOver? = nil,
    isReplicated: Bool = false, views: StateViews<State> = StateViews(),
    onEvent: @escaping (HubEvent, State) -> [Action] = { _, _ in [] }
  ) throws {
    engine = FeatureEngine(initialState: State(), reducer: AppFeature(), views: views, onEvent: onEvent)
    var recovery = Recovery(of: engine)
    for turn in turns { try recovery.apply(turn, writtenFor: Schema(state: State.self, action: Action.self)) }
    log = turns
    var history = recovery.history(
      id: durability == .sync ? 1 : seed, sessions: sessions, region: turns.last?.region)
    if let handOver { history = history.continuing(handOver) }
    if isReplicated { history = history.replicated(as: 1) }
    core = HubCore(
      engine, limits: limits, name: "hub", history: history, durability: durability, random: SplitMix(seed: seed))
  }

  /// Forgets the turns after a position, which the log has not taken.
  func forget(after position: UInt64) { log.removeAll { $0.position > position } }

  /// Stores the turns up to a position, or all.
  func store(upTo position: UInt64? = nil) {
    core.stored(upTo: position ?? log.last?.position ?? 0, at: now)
  }

  func connect(
    user: UInt32 = 1000, group: UInt32? = nil, groups: [UInt32] = [], isTakenOver: Bool = false
  ) -> ConnectionID {
    let id = core.connected(
      Peer(process: 1, user: user, group: group ?? user, groups: groups), at: now, isTakenOver: isTakenOver)
    decoders[id] = FrameDecoder(payloadLimit: 1 << 24)
    return id
  }

  /// Connects, and opens and returns a session.
  func open(
    session: SessionID? = nil, acknowledged: UInt64 = 0, history: UInt64? = nil
  ) throws -> (ConnectionID, Welcome) {
    let id = connect()
    send(Hello(session: session, acknowledged: acknowledged, name: "test", history: history), on: id)
    let frames = turn(id)
    return (id, try frames[0].decoded())
  }

  /// Connects and opens a session, which the log stores.
  func openStored(
    session: SessionID? = nil, acknowledged: UInt64 = 0, history: UInt64? = nil
  ) throws -> (ConnectionID, Welcome) {
    let id = connect()
    send(Hello(session: session, acknowledged: acknowledged, name: "test", history: history), on: id)
    turn()
    store()
    return (id, try turn(id)[0].decoded())
  }

  func send(_ bytes: [UInt8], on id: ConnectionID) {
    let now = now
    let span = bytes.span.bytes
    core.received(span, on: id, at: now)
  }

  func send(_ message: some Message, scope: UInt16 = 0, on id: ConnectionID) {
    var writer = FrameWriter()
    writer.frame(message, scope: scope)
    send(writer.bytes, on: id)
  }

  func send(_ actions: [Action], from first: UInt64, acknowledged: UInt64 = 0, on id: ConnectionID) {
    send(actionsFrame(actions.map { $0.encoded() }, from: first, acknowledged: acknowledged), on: id)
  }

  /// Ends the turn, executes the commands, and returns the output for a connection; without coalescing if `flushing`.
  @discardableResult
  func turn(_ id: ConnectionID? = nil, flushing: Bool = true) -> [Frame] {
    core.endTurn(at: now, plan: plan, flushing: flushing)
    for command in core.commands {
      switch command {
      case .write(let target, let run):
        guard !closed.contains(target) else { continue }
        if blocked.contains(target) {
          core.noteBusy(target, queuedBytes: core.ranges[run].reduce(0) { $0 + $1.count }, at: now)
        }
        for range in core.ranges[run] { deliver(Array(core.output.bytes[range]), to: target) }
      case .close(let target), .abort(let target):
        closed.insert(target)
        core.ended(target)
      case .report(let index):
        reports.append(core.reports[index])
      case .effect(let index):
        if case .start = core.effectCommands[index] { startedEffects += 1 }
      case .store: log += core.turnsToStore
      case .saveSnapshot: snapshotCount += 1
      case .releaseMemory: releaseCount += 1
      case .resumeReading: break
      case .forwarding(let index): forwarding += core.takeForwarding(through: index)
      }
    }
    core.clear()
    return id.map { received(by: $0) } ?? []
  }

  /// Returns the output for a connection since the last call, or the last turn for it.
  func received(by id: ConnectionID) -> [Frame] { received.removeValue(forKey: id) ?? [] }

  var hasBacklog: Bool { core.hasBacklog }

  /// Handles waiting frames, and returns the number of handled frames and actions.
  @discardableResult
  func work(limit: Int) -> Int { core.workOnBacklog(limit: limit, at: now) }

  /// Makes room in the socket of a blocked connection.
  func unblock(_ id: ConnectionID) {
    blocked.remove(id)
    core.drained(id, at: now)
  }

  func disconnect(_ id: ConnectionID) {
    closed.insert(id)
    core.ended(id)
  }

  private func deliver(_ bytes: [UInt8], to id: ConnectionID) {
    try? decoders[id]?.feed(bytes.span.bytes) { header, payload in
      guard let kind = FrameKind(rawValue: header.kind) else { return }
      received[id, default: []].append(
        Frame(
          kind: kind, scope: header.scope, revision: header.revision, flags: header.flags,
          payload: payload.withUnsafeBytes { [UInt8]($0) }))
    }
  }
}

extension HubCore {
  /// Ends a turn in which all pending output is sent.
  @discardableResult
  mutating func endTurn() -> Bool { endTurn(at: .zero, flushing: true) }
}

extension [LoggedTurn] {
  /// The sessions after the turns, least recently changed first.
  var lastSessions: [LoggedSession] {
    var sessions: [LoggedSession] = []
    for session in flatMap(\.sessions) {
      var last = session
      if let index = sessions.firstIndex(where: { $0.id == session.id }) {
        last = sessions.remove(at: index)
        last.advance(to: session)
      }
      if !last.hasEnded { sessions.append(last) }
    }
    return sessions
  }
}

/// Returns a frame of actions given as bytes.
func actionsFrame(_ actions: [[UInt8]], from first: UInt64, acknowledged: UInt64 = 0) -> [UInt8] {
  var writer = FrameWriter()
  writer.frame(FrameHeader(kind: .actions)) { encoder in
    encoder.unsigned(first)
    encoder.unsigned(acknowledged)
    for action in actions { encoder.append(action.span.bytes) }
  }
  return writer.bytes
}

/// The frame that ends a session.
var leaveFrame: [UInt8] {
  var writer = FrameWriter()
  writer.frame(FrameHeader(kind: .leave)) { _ in }
  return writer.bytes
}
