import ComposableArchitecture
import Foundation
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// The calendar, the time zone and the locale of a hub's configuration: what reducers read, turns have, and clients learn.
@Suite struct RegionTests {
  struct Days: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Sendable {
      var hours: [Int] = []
      var names: [String] = []
    }

    @Replicated
    enum Action: Sendable { case noted }

    @Dependency(\.date.now) var now
    @Dependency(\.calendar) var calendar
    @Dependency(\.timeZone) var timeZone
    @Dependency(\.locale) var locale

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.hours.append(calendar.component(.hour, from: now))
        state.names.append("\(calendar.identifier) \(timeZone.secondsFromGMT(for: now)) \(locale.identifier)")
        return .none
      }
    }
  }

  private let berlin = RegionalSettings(calendar: "iso8601", timeZone: "Europe/Berlin", locale: "de_DE")
  private let tokyo = RegionalSettings(timeZone: "Asia/Tokyo")

  private func makeHub(_ region: RegionalSettings) throws -> FeatureHub<Days.State, Days.Action> {
    let hub = try FeatureHub(Days.State(), Days(), isLogged: true)
    hub.core.setClock { 1_720_000_000_000 }
    try hub.core.setRegion(region)
    return hub
  }

  /// The turns of a hub whose configuration was changed twice.
  private func history() throws -> (turns: [LoggedTurn], state: Days.State) {
    let hub = try makeHub(.standard)
    for region in [.standard, berlin, tokyo] {
      try hub.core.setRegion(region)
      try hub.send([.noted])
    }
    return (hub.turns.filter { $0.revision > $0.baseRevision }, hub.engine.state)
  }

  @Test func theReducerReadsWhatIsConfiguredAndTheTurnHasIt() throws {
    let (turns, state) = try history()
    #expect(state.hours == [9, 11, 18])
    #expect(state.names == ["gregorian 0 en_US_POSIX", "iso8601 7200 de_DE", "gregorian 32400 en_US_POSIX"])
    #expect(turns.map(\.region) == [.standard, berlin, tokyo])
    for turn in turns { #expect(try LoggedTurn(decoding: turn.encoded().span.bytes) == turn) }
  }

  @Test func aReplayReadsThatOfEachTurn() throws {
    let engine = FeatureEngine(initialState: Days.State(), reducer: Days())
    var replay = Replay(engine)
    let (turns, state) = try history()
    for turn in turns {
      let difference = try replay.next(turn)
      #expect(difference == nil)
    }
    #expect(engine.state == state)
    // With the standard for all turns there are differences.
    var other = Replay(FeatureEngine(initialState: Days.State(), reducer: Days()))
    var different: [RegionalSettings] = []
    for turn in turns {
      var changed = turn
      changed.region = .standard
      if try other.next(changed) != nil { different.append(turn.region) }
    }
    #expect(different == [berlin, tokyo])
  }

  @Test func anUnknownTimeZoneIsRefusedAlsoByAReplay() throws {
    let nowhere = RegionalSettings(timeZone: "Europe/Atlantis")
    let hub = try makeHub(.standard)
    #expect(throws: UnknownRegion.self) { try hub.core.setRegion(nowhere) }
    try hub.send([.noted])
    var turn = try #require(hub.turns.last)
    turn.region = nowhere
    var replay = Replay(FeatureEngine(initialState: Days.State(), reducer: Days()))
    for stored in hub.turns.dropLast() { _ = try replay.next(stored) }
    var problem = ""
    do throws(RecoveryError) { _ = try replay.next(turn) } catch { problem = error.description }
    #expect(problem.hasPrefix("turn \(turn.position) cannot be repeated: there is no time zone 'Europe/Atlantis'"))
  }

  // MARK: Clients

  @Test func aClientLearnsIt() throws {
    let hub = Hub()
    try hub.core.setRegion(berlin)
    #expect(try hub.open().1.region == berlin)
    #expect(try Hub().open().1.region == .standard)
  }

  /// The leader runs the reducer, so its settings are those of the predictions of all clients.
  @Test func aFollowerSendsThatOfTheLeaderUntilItLeads() throws {
    let follower = try Hub(recovering: [], isReplicated: true)
    try follower.core.setRegion(tokyo)
    #expect(try follower.open().1.region == tokyo)
    let engine = follower.engine
    let turn = LoggedTurn(
      position: 1, baseRevision: 0, revision: 1, time: 0, delta: engine.replacement(byteLimit: .max), region: berlin)
    #expect(follower.core.apply([turn], at: follower.now) == nil)
    follower.turn()
    #expect(try follower.open().1.region == berlin)
    // Also when it starts again, before the first turn.
    let restarted = try Hub(recovering: [turn], isReplicated: true)
    try restarted.core.setRegion(tokyo)
    #expect(try restarted.open().1.region == berlin)
    // A hub that is alone runs the reducer itself.
    let alone = try Hub(recovering: [turn])
    try alone.core.setRegion(tokyo)
    #expect(try alone.openStored().1.region == tokyo)
    follower.core.lead(at: follower.now, wallTime: 0)
    follower.turn()
    #expect(try follower.openStored().1.region == tokyo)
    #expect(follower.log.last?.region == tokyo)
  }
}
