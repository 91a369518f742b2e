import ComposableArchitecture
import Synchronization
import TestFeatures
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// The log's record of a turn and the subscribers' frames share one encoding of the change.
@Suite(.serialized) struct SharedDeltaTests {
  /// A number that counts how often a change of it is encoded.
  struct Tally: Replicated, Equatable, Sendable {
    static let encodings = Atomic<Int>(0)
    var value = 0

    func encode(to encoder: inout CBOREncoder) { value.encode(to: &encoder) }

    init(_ value: Int = 0) { self.value = value }

    init(from decoder: inout CBORDecoder) throws(WireError) { value = try Int(from: &decoder) }

    static func schema(in builder: inout SchemaBuilder) -> SchemaType { Int.schema(in: &builder) }

    func encodeDelta(from base: Tally, to encoder: inout CBOREncoder) {
      Self.encodings.add(1, ordering: .relaxed)
      encode(to: &encoder)
    }
  }

  struct Counting: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Sendable {
      var tally = Tally()
    }

    @Replicated
    enum Action: Equatable, Sendable {
      case increment
    }

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.tally.value += 1
        return .none
      }
    }
  }

  /// A hub, perhaps with a log, and a client that watches the whole state.
  private final class Harness<State: Replicated & Equatable & Sendable, Action: Replicated & Equatable & Sendable> {
    var core: HubCore
    let client: ConnectionID
    private(set) var turns: [LoggedTurn] = []
    /// The deltas that the client received.
    private(set) var deltas: [[UInt8]] = []
    private var decoder = FrameDecoder(payloadLimit: 1 << 24)
    private var sequence: UInt64 = 1

    init(_ engine: FeatureEngine<State, Action>, durability: Durability?) throws {
      let history = durability.map { _ in
        HubHistory(id: 1, isLogged: true, position: 0, sessions: [], versions: [])
      }
      core = HubCore(engine, history: history, durability: durability ?? .sync, random: SplitMix(seed: 7))
      client = core.connected(Peer(process: 1, user: 1, group: 1), at: .zero)
      var input = FrameWriter()
      input.frame(Hello())
      input.frame(Attach())
      let greeting = input.bytes
      core.received(greeting.span.bytes, on: client, at: .zero)
      for _ in 0..<3 { try turn() }
    }

    func send(_ action: Action) {
      let frame = actionsFrame([action.encoded()], from: sequence, acknowledged: 0)
      sequence += 1
      core.received(frame.span.bytes, on: client, at: .zero)
    }

    /// Ends a turn; the log then stores all turns, unless it is slow.
    func turn(isLogSlow: Bool = false) throws {
      core.endTurn(at: .zero, flushing: true)
      turns += core.turnsToStore
      let output = core.ranges.flatMap { core.output.bytes[$0] }
      try decoder.feed(output.span.bytes) { header, payload throws(WireError) in
        guard header.kind == FrameKind.delta.rawValue else { return }
        var item = CBORDecoder(payload)
        try item.tuple(2)
        _ = try item.unsigned()
        deltas.append(payload.extracting(item.offset...).withUnsafeBytes { [UInt8]($0) })
      }
      core.clear()
      if !isLogSlow, let last = turns.last { core.stored(upTo: last.position, at: .zero) }
    }
  }

  private func encodings(_ body: () throws -> Void) rethrows -> Int {
    let before = Tally.encodings.load(ordering: .relaxed)
    try body()
    return Tally.encodings.load(ordering: .relaxed) - before
  }

  @Test(arguments: [Durability.sync, .async]) func aTurnIsEncodedOnceForTheLogAndTheSubscribers(
    durability: Durability
  ) throws {
    let hub = try Harness(
      FeatureEngine(initialState: Counting.State(), reducer: Counting()), durability: durability)
    for number in 1...3 {
      let count = try encodings {
        hub.send(.increment)
        for _ in 0..<2 { try hub.turn() }
      }
      #expect(count == 1)
      #expect(hub.deltas.count == number && hub.deltas.last == hub.turns.last { !$0.delta.isEmpty }?.delta)
    }
  }

  /// The subscribers get one change for all turns that the log has stored meanwhile, which is encoded for them.
  @Test func severalTurnsThatAreStoredTogetherAreOneChange() throws {
    let hub = try Harness(FeatureEngine(initialState: Counting.State(), reducer: Counting()), durability: .sync)
    let count = try encodings {
      for _ in 0..<3 {
        hub.send(.increment)
        try hub.turn(isLogSlow: true)
      }
      for _ in 0..<2 { try hub.turn() }
    }
    #expect(count == 4)
    var expected = CBOREncoder()
    Counting.State(tally: Tally(3)).encodeDelta(from: Counting.State(), to: &expected)
    #expect(hub.deltas == [expected.bytes])
  }

  /// The bytes of a hub with a log are those of one without.
  @Test(arguments: [Durability.sync, .async]) func theBytesForSubscribersAreTheSameWithAndWithoutALog(
    durability: Durability
  ) throws {
    let logged = try Harness(FeatureEngine(initialState: Board.State(), reducer: Board()), durability: durability)
    let plain = try Harness(FeatureEngine(initialState: Board.State(), reducer: Board()), durability: nil)
    var random = SplitMix(seed: 37)
    for _ in 0..<300 {
      let action = Board.Action.change(random.next())
      for hub in [logged, plain] {
        hub.send(action)
        for _ in 0..<2 { try hub.turn() }
      }
    }
    #expect(logged.deltas.count > 100 && logged.deltas == plain.deltas)
  }
}
