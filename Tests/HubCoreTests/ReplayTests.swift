import ComposableArchitecture
import Foundation
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// The actions of stored turns, run through a reducer again.
@Suite struct ReplayTests {
  /// A feature whose results depend on everything that a reducer may read.
  struct Ledger: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Sendable {
      var entries: [String] = []
      var sum = 0
    }

    @Replicated
    enum Action: Sendable {
      case added(Int)
      case addedTwice(Int)
      case addedLater(Int)
      case addedAfter(Int)
      case refused
    }

    /// The sum from which on this version counts wrongly; nil for a correct one.
    var defect: Int?
    /// True if this version refuses to add 7.
    var refusesSeven = false

    @Dependency(\.sender) var sender
    @Dependency(\.date.now) var now
    @Dependency(\.uuid) var uuid

    var body: some ReducerOf<Self> {
      Reduce { state, action throws(Refusal) in
        switch action {
        case .added(let number):
          if refusesSeven, number == 7 { throw Refusal("seven is too many") }
          state.sum += number
          if let defect, state.sum >= defect { state.sum += 1 }
          state.entries.append("\(number) by \(sender) at \(now.timeIntervalSince1970) as \(uuid())")
          if state.entries.count > 5 { state.entries.removeFirst() }
          return .none
        case .addedTwice(let number): return .merge(.send(.added(number)), .send(.added(number)))
        case .addedLater(let number): return .run { send in await send(.added(number)) }
        case .addedAfter(let number): return .concatenate(.run { _ in }, .send(.addedTwice(number)))
        case .refused: throw Refusal("no")
        }
      }
    }
  }

  private func makeHub() throws -> FeatureHub<Ledger.State, Ledger.Action> {
    let hub = try FeatureHub(Ledger.State(), Ledger(), isLogged: true)
    var clock: Int64 = 1_000_000
    hub.core.setClock {
      clock += 7
      return clock
    }
    return hub
  }

  /// The turns of a random history of a hub, with effects that run at random moments.
  private func turns(_ random: inout SplitMix) throws -> [LoggedTurn] {
    let hub = try makeHub()
    var done = 0
    for _ in 0..<60 {
      let number = Int.random(in: 1...9, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2:
        let kinds: [Ledger.Action] = [.added(number), .addedTwice(number), .refused, .addedLater(number)]
        try hub.send(
          (0..<Int.random(in: 1...5, using: &random)).map { _ in kinds[Int.random(in: 0..<4, using: &random)] })
      case 3: try hub.send([.addedAfter(number)])
      case 4: hub.sendOwn(.added(number))
      default:
        guard done < hub.started.count else { continue }
        let effect = hub.started[done]
        if Bool.random(using: &random) { _ = hub.core.apply(AnyAction(Ledger.Action.added(number)), from: effect) }
        hub.core.finish(effect)
        done += 1
      }
      try hub.turn()
    }
    return hub.turns
  }

  private func replay(
    _ turns: [LoggedTurn], through reducer: Ledger
  ) throws -> (differences: [ReplayDifference], state: Ledger.State) {
    let engine = FeatureEngine(initialState: Ledger.State(), reducer: reducer)
    var replay = Replay(engine)
    var differences: [ReplayDifference] = []
    for turn in turns {
      if let difference = try replay.next(turn) { differences.append(difference) }
    }
    return (differences, engine.state)
  }

  @Test(arguments: [UInt64](1...20)) func theSameReducerHasTheSameResults(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let turns = try turns(&random)
    let (differences, _) = try replay(turns, through: Ledger())
    #expect(differences.isEmpty, "seed \(seed): \(differences.map(\.turn.position))")
    #expect(turns.contains { $0.revision > $0.baseRevision })
  }

  /// Each difference counts once: the replay goes on from the stored state.
  @Test(arguments: [UInt64](1...10)) func aChangeOfTheReducerIsFoundWithItsFirstRevision(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let turns = try turns(&random)
    // The states as they are stored.
    let engine = FeatureEngine(initialState: Ledger.State(), reducer: Ledger())
    var first: LoggedTurn?
    for turn in turns where turn.revision > turn.baseRevision {
      try engine.restore(delta: turn.delta.span.bytes, to: turn.revision)
      if engine.state.sum >= 100, first == nil { first = turn }
    }
    let (differences, state) = try replay(turns, through: Ledger(defect: 100))
    #expect(differences.first?.turn.revision == first?.revision, "seed \(seed)")
    let difference = try #require(differences.first)
    let (stored, now) = (
      try Ledger.State(decoding: difference.stored.span.bytes), try Ledger.State(decoding: difference.now.span.bytes)
    )
    #expect(stored.sum < now.sum && stored.entries == now.entries)
    #expect(state == engine.state)
  }

  @Test func anActionThatIsRefusedNowIsADifference() throws {
    let hub = try makeHub()
    try hub.send([.added(3)])
    try hub.send([.added(7), .added(1)])
    let (differences, state) = try replay(hub.turns, through: Ledger(refusesSeven: true))
    #expect(differences.map(\.turn.revision) == [3] && differences.first?.refusal == "seven is too many")
    #expect(state == hub.engine.state)
  }

  @Test func aTurnThatDoesNotFollowIsRefused() throws {
    let hub = try makeHub()
    for _ in 1...3 { try hub.send([.added(1)]) }
    var turns = hub.turns
    turns.removeAll { $0.revision == 2 }
    #expect(throws: RecoveryError.self) { try replay(turns, through: Ledger()) }
  }

  /// A feature with members of which a part is not written.
  struct Club: Reducer, Sendable {
    @Replicated
    struct Member: Hashable, Sendable {
      var name: String
      @Replicated(omit) var arrival = 0
    }

    @Replicated
    struct State: Equatable, Sendable {
      var members: Set<Member> = []
      var left = 0
    }

    @Replicated
    enum Action: Sendable {
      case joined(String)
      case left(String)
    }

    /// The number that is counted for each that has left.
    var step = 1

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .joined(let name): state.members.insert(Member(name: name, arrival: state.members.count + 1))
        case .left(let name):
          state.members = state.members.filter { $0.name != name }
          state.left += step
        }
        return .none
      }
    }
  }

  /// The stored change applies to what is stored, where the members do not have what is not written.
  @Test func aDifferenceIsFoundWhereAPartOfAMemberIsNotWritten() throws {
    let hub = try FeatureHub(Club.State(), Club(), isLogged: true)
    // So many that a change is not written as a new set.
    try hub.send("abcdefgh".map { .joined(String($0)) })
    try hub.send([.left("a")])
    try hub.send([.joined("i")])
    try hub.send([.left("b")])
    #expect(hub.rejections.isEmpty)
    for (step, differences) in [(1, []), (2, [9, 11])] as [(Int, [UInt64])] {
      let engine = FeatureEngine(initialState: Club.State(), reducer: Club(step: step))
      var replay = Replay(engine)
      var found: [UInt64] = []
      for turn in hub.turns {
        if let difference = try replay.next(turn) { found.append(difference.turn.revision) }
      }
      #expect(found == differences)
      #expect(engine.state.encoded() == hub.engine.state.encoded())
    }
  }
}
