import ComposableArchitecture
import Foundation
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// Reads what may differ on another machine.
private struct Weather: DependencyKey, Sendable {
  var now: @Sendable () -> String

  static let liveValue = Weather { "rain" }
  static let testValue = Weather { "sun" }
}

/// A hub's reducer reads the same values in every run, or the hub reports it.
@Suite struct ReproducibilityTests {
  struct Diary: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Sendable {
      var entries: [String] = []
    }

    @Replicated
    enum Action: Sendable {
      case weather
      case weatherLater
      case date
      case nothing
    }

    @Dependency(Weather.self) fileprivate var weather
    @Dependency(\.calendar) var calendar
    @Dependency(\.timeZone) var timeZone
    @Dependency(\.locale) var locale
    @Dependency(\.date.now) var now

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .weather: state.entries.append(weather.now())
        case .weatherLater: return .run { _ in _ = weather.now() }
        case .date:
          let parts = calendar.dateComponents([.year, .month, .day, .hour], from: now)
          state.entries.append(
            "\(parts.year ?? 0)-\(parts.month ?? 0)-\(parts.day ?? 0) \(parts.hour ?? 0) h \(timeZone.identifier) "
              + locale.identifier)
        case .nothing: break
        }
        return .none
      }
    }
  }

  /// A hub of diaries, and what it reports.
  private struct DiaryHub {
    let hub: FeatureHub<Diary.State, Diary.Action>
    private let log = Reports()

    var entries: [String] { hub.engine.state.entries }
    var reports: [String] { log.lines }

    init(of reducer: Diary = Diary()) throws {
      hub = try FeatureHub(Diary.State(), reducer, isLogged: true)
      hub.core.setClock { 1_000_000_000_000 }
      hub.core.setIrreproducibleReadReport { [log] in log.lines.append($0) }
    }

    private final class Reports {
      var lines: [String] = []
    }
  }

  @Test func theHubReportsADependencyOnce() throws {
    let diary = withDependencies {
      $0.context = .live
    } operation: {
      Diary()
    }
    let diaries = try DiaryHub(of: diary)
    try diaries.hub.send([.nothing, .weatherLater, .date])
    #expect(diaries.reports.isEmpty)
    try diaries.hub.send([.weather, .weather])
    try diaries.hub.send([.weather])
    diaries.hub.sendOwn(.weather)
    #expect(diaries.entries.dropFirst() == ["rain", "rain", "rain", "rain"])
    #expect(diaries.reports.count == 1)
    #expect(diaries.reports.first?.hasPrefix("the reducer reads @Dependency(Weather.self) (HubCoreTests/") == true)
  }

  @Test func aTestReportsItAsAnIssue() throws {
    let diaries = try DiaryHub()
    let issues = withExpectedIssue { try diaries.hub.send([.weather, .weather]) }
    #expect(issues.count == 1)
    #expect(issues.first?.hasPrefix("A hub's reducer reads @Dependency(Weather.self), which is not") == true)
    #expect(diaries.entries == ["sun", "sun"] && diaries.reports.isEmpty)
  }

  @Test func theCalendarIsTheSameOnEveryMachineAndInAReplay() throws {
    let hub = try DiaryHub().hub
    try hub.send([.date])
    #expect(hub.engine.state.entries == ["2001-9-9 1 h GMT en_US_POSIX"])
    var replay = Replay(FeatureEngine(initialState: Diary.State(), reducer: Diary()))
    for turn in hub.turns {
      let difference = try replay.next(turn)
      #expect(difference == nil)
    }
  }

  @Test func aFeatureMayHaveAnotherCalendar() throws {
    let zone = try #require(TimeZone(secondsFromGMT: 7200))
    let diary = withDependencies {
      $0.calendar.timeZone = zone
      $0.timeZone = zone
    } operation: {
      Diary()
    }
    let diaries = try DiaryHub(of: diary)
    try diaries.hub.send([.date])
    #expect(diaries.entries == ["2001-9-9 3 h \(zone.identifier) en_US_POSIX"])
  }
}
