import ComposableArchitecture
import Foundation
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// A hub's reducer reads the time of the turn, and random numbers of the action.
@Suite struct DeterminismTests {
  /// A feature that notes what it reads.
  struct Readings: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Sendable {
      var times: [Double] = []
      var ids: [UUID] = []
      var numbers: [UInt64] = []
    }

    @Replicated
    enum Action: Sendable {
      case read(ids: Int, numbers: Int)
      case readTwice
      case refused
      case nothing
      case note(UUID)
    }

    @Dependency(\.date.now) var now
    @Dependency(\.uuid) var uuid
    @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator

    var body: some ReducerOf<Self> {
      Reduce { state, action throws(Refusal) in
        switch action {
        case .read(let ids, let numbers):
          state.times.append(now.timeIntervalSince1970)
          for _ in 0..<ids { state.ids.append(uuid()) }
          for _ in 0..<numbers { state.numbers.append(withRandomNumberGenerator { $0.next() }) }
          return .none
        case .readTwice:
          state.ids.append(uuid())
          return .send(.read(ids: 1, numbers: 0))
        case .refused:
          _ = uuid()
          throw Refusal("never")
        case .nothing: return .none
        case .note(let id):
          state.ids.append(id)
          return .none
        }
      }
    }
  }

  private func makeHub(isLogged: Bool = true) throws -> FeatureHub<Readings.State, Readings.Action> {
    let hub = try FeatureHub(Readings.State(), Readings(), isLogged: isLogged)
    hub.core.setClock { 1000 }
    return hub
  }

  // MARK: Time

  @Test func theTimeIsThatOfTheTurnAndNeverGoesBackwards() throws {
    let hub = try makeHub()
    var (clock, readCount): (Int64, Int) = (5000, 0)
    hub.core.setClock {
      readCount += 1
      return clock
    }
    try hub.send([.read(ids: 0, numbers: 0), .read(ids: 0, numbers: 0)])
    #expect(hub.engine.state.times == [5, 5] && readCount == 1)
    #expect(hub.turns.last?.time == 5000)
    clock = 4000
    try hub.send([.read(ids: 0, numbers: 0)])
    clock = 7000
    try hub.send([.read(ids: 0, numbers: 0)])
    #expect(hub.engine.state.times == [5, 5, 5, 7])
    #expect(hub.turns.suffix(3).map(\.time) == [5000, 5000, 7000])
  }

  @Test(arguments: [false, true]) func eachTurnHasATimeOfItsOwn(isLogged: Bool) throws {
    let hub = try makeHub(isLogged: isLogged)
    var clock: Int64 = 0
    hub.core.setClock {
      clock += 1000
      return clock
    }
    for _ in 0..<3 { try hub.send([.read(ids: 0, numbers: 0)]) }
    #expect(hub.engine.state.times == [1, 2, 3])
  }

  /// The history of a hub whose clock was ahead before its restart.
  @Test func theTimeContinuesAfterThatOfTheHistory() throws {
    let engine = FeatureEngine(initialState: Readings.State(), reducer: Readings())
    let history = Recovery(of: engine).history(id: 1, sessions: [], time: 9000)
    var core = HubCore(engine, history: history, random: SplitMix(seed: 7))
    core.setClock { 1000 }
    core.send(AnyAction(Readings.Action.read(ids: 0, numbers: 0)))
    core.endTurn(at: .zero)
    #expect(engine.state.times == [9] && core.turnsToStore.last?.time == 9000)
  }

  @Test func aFeatureThatDoesNotReadTheTimeDoesNotReadTheClock() throws {
    let hub = try makeHub()
    hub.core.setClock { fatalError("the clock was read") }
    try hub.send([.nothing, .nothing])
  }

  // MARK: Random numbers

  /// What the reducer draws for an action with a number, according to the protocol.
  private func randomness(of action: UInt64, in hub: FeatureHub<Readings.State, Readings.Action>) throws
    -> ActionRandomness
  {
    let session = try #require(hub.turns.lazy.flatMap(\.sessions).first?.id)
    return ActionRandomness(key: session.key, action: action)
  }

  @Test func theNumbersFollowFromTheSessionAndTheNumberOfTheAction() throws {
    let hub = try makeHub()
    try hub.send([.read(ids: 0, numbers: 3), .nothing, .read(ids: 0, numbers: 6)])
    // Refused actions have numbers, too.
    try hub.send([.refused, .read(ids: 0, numbers: 1)])
    var expected: [UInt64] = []
    for (action, count) in [(1, 3), (3, 6), (5, 1)] as [(UInt64, Int)] {
      var randomness = try randomness(of: action, in: hub)
      for _ in 0..<count { expected.append(randomness.next()) }
    }
    #expect(hub.engine.state.numbers == expected)
  }

  @Test func equalActionsInARowHaveNumbersOfTheirOwn() throws {
    let hub = try makeHub()
    try hub.send(Array(repeating: .read(ids: 0, numbers: 1), count: 20))
    #expect(Set(hub.engine.state.numbers).count == 20)
    var third = try randomness(of: 3, in: hub)
    #expect(hub.engine.state.numbers[2] == third.next())
  }

  @Test func anActionThatFollowsAtOnceContinuesTheNumbers() throws {
    let hub = try makeHub()
    try hub.send([.readTwice])
    #expect(Set(hub.engine.state.ids).count == 2)
  }

  @Test func identifiersAreOfVersionFour() throws {
    let hub = try makeHub()
    try hub.send([.read(ids: 50, numbers: 0)])
    #expect(Set(hub.engine.state.ids).count == 50)
    for id in hub.engine.state.ids {
      #expect(id.uuid.6 >> 4 == 4 && id.uuid.8 >> 6 == 2, "\(id)")
    }
  }

  /// The feature draws ids for the actions with which it reacts to an event, and its reducer draws others for them.
  @Test func eventsAndTheActionsAroundThemHaveNumbersOfTheirOwn() throws {
    let engine = FeatureEngine(
      initialState: Readings.State(), reducer: Readings(),
      onEvent: { _, _ in
        @Dependency(\.uuid) var uuid
        return [.note(uuid()), .read(ids: 1, numbers: 0)]
      })
    var core = HubCore(engine, random: SplitMix(seed: 7))
    core.setClock { 1000 }
    for _ in 0..<3 { core.notify(.started) }
    core.endTurn(at: .zero)
    #expect(engine.state.ids.count == 6 && Set(engine.state.ids).count == 6)
  }

  /// The hub's own actions have a seed in the log, from which their numbers follow.
  @Test func theLogHasTheSeedOfTheHubsOwnActions() throws {
    let hub = try makeHub()
    for action in [.read(ids: 0, numbers: 5), .nothing, .read(ids: 0, numbers: 1)] as [Readings.Action] {
      hub.sendOwn(action)
    }
    try hub.turn()
    let bytes = try #require(hub.turns.last).actions
    var runs = CBORDecoder(bytes.span.bytes)
    var (seeds, numbers): ([[UInt8]?], [UInt64]) = ([], [])
    while !runs.isAtEnd {
      let run = try LoggedActions(from: &runs)
      #expect(run.origin == .hub)
      seeds.append(run.seed)
    }
    #expect(seeds.count == 3 && seeds[1] == nil && seeds[0] != seeds[2])
    for (seed, count) in [(seeds[0], 5), (seeds[2], 1)] {
      var randomness = ActionRandomness(key: try #require(seed), action: 0)
      for _ in 0..<count { numbers.append(randomness.next()) }
    }
    #expect(hub.engine.state.numbers == numbers)
  }
}
