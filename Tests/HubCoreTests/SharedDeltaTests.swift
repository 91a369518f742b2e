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

  struct Noting: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Sendable {
      var text = ""
    }

    @Replicated
    enum Action: Equatable, Sendable {
      case write(String)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .write(let text) = action { state.text = text }
        return .none
      }
    }
  }

  /// A socket takes one range faster than two, so a short delta is copied behind its head, once for all who get the same.
  @Test(arguments: [(20, 1), (1000, 2)]) func subscribersAlikeShareTheFrameOfAShortDelta(
    length: Int, rangeCount: Int
  ) throws {
    var core = HubCore(
      FeatureEngine(initialState: Noting.State(), reducer: Noting()), history: nil, durability: .sync,
      random: SplitMix(seed: 7))
    var clients: [ConnectionID] = []
    for scope: UInt16 in [1, 1, 1, 2, 1] {
      let client = core.connected(Peer(process: 1, user: 1, group: 1), at: .zero)
      var input = FrameWriter()
      input.frame(Hello())
      input.frame(Attach(), scope: scope)
      let greeting = input.bytes
      core.received(greeting.span.bytes, on: client, at: .zero)
      clients.append(client)
    }
    for _ in 0..<3 {
      core.endTurn(at: .zero, flushing: true)
      core.clear()
    }
    let text = String(repeating: "x", count: length)
    let frame = actionsFrame([Noting.Action.write(text).encoded()], from: 1, acknowledged: 0)
    core.received(frame.span.bytes, on: clients[0], at: .zero)
    core.endTurn(at: .zero, flushing: true)

    var expected = CBOREncoder()
    Noting.State(text: text).encodeDelta(from: Noting.State(), to: &expected)
    var runs: [ConnectionID: [Range<Int>]] = [:]
    for case .write(let client, let run) in core.commands {
      runs[client] = Array(core.ranges[run])
      let output = core.ranges[run].flatMap { core.output.bytes[$0] }
      var decoder = FrameDecoder(payloadLimit: 1 << 24)
      var deltas: [[UInt8]] = []
      try decoder.feed(output.span.bytes) { header, payload throws(WireError) in
        guard header.kind == FrameKind.delta.rawValue else { return }
        #expect(header.scope == (client == clients[3] ? 2 : 1))
        var item = CBORDecoder(payload)
        try item.tuple(2)
        _ = try item.unsigned()
        deltas.append(payload.extracting(item.offset...).withUnsafeBytes { [UInt8]($0) })
      }
      #expect(deltas == [expected.bytes])
    }
    // The first one also gets an acknowledgement.
    #expect(clients.dropFirst().allSatisfy { runs[$0]?.count == rangeCount })
    #expect((runs[clients[1]] == runs[clients[2]]) == (rangeCount == 1))
    #expect(runs[clients[1]] != runs[clients[3]])
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
