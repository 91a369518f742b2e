import ComposableArchitecture
import TestSupport
import TurnLog
import Wire

@testable import HubCore

/// A hub of any feature, with one client that watches the whole state.
final class FeatureHub<State: Replicated, Action: WireValue> {
  let engine: FeatureEngine<State, Action>
  var core: HubCore
  private let client: ConnectionID
  private var decoder = FrameDecoder(payloadLimit: 1 << 20)
  private var sequence: UInt64 = 1
  /// The client's state.
  private(set) var replica: State?
  private(set) var rejections: [Rejected] = []
  /// The turns that the log has stored.
  private(set) var turns: [LoggedTurn] = []
  /// The effects that the hub was asked to start.
  private(set) var started: [EffectID] = []
  /// The effects that it was asked to stop.
  private(set) var cancelled: [EffectID] = []

  init(_ state: State, _ reducer: some Reducer<State, Action>, isLogged: Bool = false) throws {
    engine = FeatureEngine(initialState: state, reducer: reducer)
    let history = HubHistory(id: 1, isLogged: isLogged, position: 0, stateBound: nil, sessions: [], versions: [])
    core = HubCore(engine, history: history, random: SplitMix(seed: 7))
    client = core.connected(Peer(process: 1, user: 1, group: 1), at: .zero)
    var input = FrameWriter()
    input.frame(Hello())
    input.frame(Attach())
    let greeting = input.bytes
    core.received(greeting.span.bytes, on: client, at: .zero)
    try turn()
  }

  /// Ends a turn, stores it, and applies what the client receives.
  func turn() throws {
    core.endTurn(at: .zero)
    turns += core.turnsToStore
    if let last = core.turnsToStore.last?.position { core.stored(upTo: last, at: .zero) }
    core.endTurn(at: .zero)
    started += core.effectCommands.compactMap { if case .start(let effect, _, _) = $0 { effect } else { nil } }
    cancelled += core.effectCommands.compactMap { if case .cancel(let effect) = $0 { effect } else { nil } }
    let output = core.ranges.flatMap { core.output.bytes[$0] }
    try decoder.feed(output.span.bytes) { header, payload throws(WireError) in
      switch FrameKind(rawValue: header.kind) {
      case .snapshot: replica = try State(decoding: SnapshotPiece(CBORDecoder(payload)).bytes)
      case .delta:
        var delta = CBORDecoder(payload)
        try delta.tuple(2)
        _ = try delta.unsigned()
        replica = try replica?.applying(delta: &delta)
      case .rejected: rejections.append(try Rejected(decoding: payload))
      default: break
      }
    }
    core.clear()
  }

  /// Sends actions in one frame, and ends the turn.
  func send(_ actions: [Action]) throws { try send(encoded: actions.map { $0.encoded() }) }

  /// Sends items, which may be no actions, in one frame, and ends the turn.
  func send(encoded actions: [[UInt8]]) throws {
    let frame = actionsFrame(actions, from: sequence)
    sequence += UInt64(actions.count)
    core.received(frame.span.bytes, on: client, at: .zero)
    try turn()
  }

  /// Applies an action of the hub's own.
  func sendOwn(_ action: Action) { core.send(AnyAction(action)) }

  /// The state that a restart or a new client would read.
  func readBack() throws -> State { try State(decoding: engine.state.encoded().span.bytes) }
}
