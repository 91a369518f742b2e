import SchemaNames
import TestFeatures
import TestSupport
import TurnLog
import Wire

@testable import HubCore

/// A hub with declared views, whose clients send and receive frames.
final class ViewHub {
  typealias Frame = BoardHub.Frame

  let engine: FeatureEngine<Chores.State, Chores.Action>
  var core: HubCore
  /// The computations of each view.
  private(set) var computed: [String: Int] = [:]
  private(set) var reports: [HubReport] = []
  private(set) var closed: Set<ConnectionID> = []
  var now = Duration.seconds(10)
  private var decoders: [ConnectionID: FrameDecoder] = [:]
  private var frames: [ConnectionID: [Frame]] = [:]
  private var sequences: [ConnectionID: UInt64] = [:]
  /// The turns for the log since they were last taken.
  private var turns: [LoggedTurn] = []

  /// - Parameter isReplicated: True for a hub that shares its log with others, and follows at first.
  init(
    limits: HubLimits = HubLimits(), policy: AccessPolicy = .open, views: StateViews<Chores.State>? = nil,
    isReplicated: Bool = false, seed: UInt64 = 7
  ) {
    let computations = Computations()
    engine = FeatureEngine(
      initialState: Chores.State(), reducer: Chores(),
      views: views ?? Chores.views { computations.hub?.computed[$0, default: 0] += 1 })
    core = HubCore(
      engine, limits: limits, policy: policy, name: "hub",
      history: isReplicated ? Recovery(of: engine).history(id: 1, sessions: []).replicated(as: 1) : nil,
      random: SplitMix(seed: seed))
    computations.hub = self
  }

  private final class Computations {
    weak var hub: ViewHub?
  }

  /// True if the hub has work for a turn without new input.
  var needsAnotherTurn: Bool { core.needsAnotherTurn }

  static let schema = Chores.views().schema ?? Schema(state: Never.self, action: Never.self)

  static func path(_ text: String) throws -> [PathStep] { try schema.path(named: text, allowsWindow: true) }

  func takeTurns() -> [LoggedTurn] {
    defer { turns = [] }
    return turns
  }

  func takeComputed() -> [String: Int] {
    defer { computed = [:] }
    return computed
  }

  func connect(user: UInt32, groups: [UInt32] = []) -> ConnectionID {
    let id = core.connected(Peer(process: 41, user: user, group: user, groups: groups), at: now)
    decoders[id] = FrameDecoder(payloadLimit: 1 << 26)
    return id
  }

  func open(
    user: UInt32 = 1000, groups: [UInt32] = [], session: SessionID? = nil, history: UInt64? = nil
  ) throws -> (ConnectionID, Welcome) {
    let id = connect(user: user, groups: groups)
    send(Hello(session: session, name: "test", history: history), on: id)
    let welcome = turn(id)[0].payload
    return (id, try Welcome(decoding: welcome.span.bytes))
  }

  func send(_ message: some Message, scope: UInt16 = 0, on id: ConnectionID) {
    frame(FrameHeader(kind: type(of: message).kind, scope: scope), on: id) { message.encode(to: &$0) }
  }

  func frame(_ header: FrameHeader, on id: ConnectionID, _ body: (inout CBOREncoder) -> Void = { _ in }) {
    var writer = FrameWriter()
    writer.frame(header, body: body)
    let bytes = writer.bytes
    core.received(bytes.span.bytes, on: id, at: now)
  }

  /// Attaches a view, in users' notation, and returns the frames of the turn.
  @discardableResult
  func attach(_ view: String, scope: UInt16 = 0, known: UInt64? = nil, on id: ConnectionID) throws -> [Frame] {
    send(Attach(root: .views, path: try Self.path(view), knownRevision: known), scope: scope, on: id)
    return turn(id)
  }

  func send(_ actions: Chores.Action..., on id: ConnectionID) {
    let last = sequences[id, default: 0]
    sequences[id] = last + UInt64(actions.count)
    frame(FrameHeader(kind: .actions), on: id) {
      $0.unsigned(last + 1)
      $0.unsigned(last)
      for action in actions { action.encode(to: &$0) }
    }
  }

  @discardableResult
  func turn(_ id: ConnectionID? = nil, flushing: Bool = true) -> [Frame] {
    core.endTurn(at: now, flushing: flushing)
    for command in core.commands {
      switch command {
      case .write(let target, let run):
        for range in core.ranges[run] { deliver(Array(core.output.bytes[range]), to: target) }
      case .close(let target), .abort(let target):
        closed.insert(target)
        core.ended(target)
      case .report(let index): reports.append(core.reports[index])
      case .store: turns += core.turnsToStore
      case .effect, .resumeReading, .saveSnapshot, .releaseMemory, .forwarding: break
      }
    }
    core.clear()
    return id.map(taken) ?? []
  }

  /// Returns what a connection received since it was last asked.
  func taken(_ id: ConnectionID) -> [Frame] { frames.removeValue(forKey: id) ?? [] }

  private func deliver(_ bytes: [UInt8], to id: ConnectionID) {
    try? decoders[id]?.feed(bytes.span.bytes) { header, payload in
      frames[id, default: []].append(
        Frame(
          kind: FrameKind(rawValue: header.kind), flags: header.flags, scope: header.scope, revision: header.revision,
          payload: payload.withUnsafeBytes { [UInt8]($0) }))
    }
  }
}

extension BoardHub.Frame {
  /// The value of a snapshot in one piece.
  func value<Value: WireValue>(_: Value.Type = Value.self) throws -> Value {
    let bytes = try piece
    return try Value(decoding: bytes.span.bytes)
  }

  /// The payload in diagnostic notation.
  var text: String { get throws { try CBORValue(decoding: payload.span.bytes).description } }

  var hash: StateHash { get throws { try StateHash(decoding: payload.span.bytes) } }

  var error: PeerError { get throws { try PeerError(decoding: payload.span.bytes) } }
}
