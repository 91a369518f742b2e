import Dependencies
import FoundationEssentials
import IssueReporting
import Senders
import Testing

private enum WeatherKey: DependencyKey {
  static let liveValue = "rain"
  static let testValue = "sun"
}

private enum PriceKey: DependencyKey {
  static let liveValue = 24
  static let testValue = 24
  static let isReproducible = true
}

/// Draws a number when its value is created.
private enum DrawnKey: DependencyKey {
  static var liveValue: Int { DependencyValues._current.withRandomNumberGenerator { Int($0.next() >> 1) } }
  static let testValue = 0
}

extension DependencyValues {
  fileprivate var weather: String {
    get { self[WeatherKey.self] }
    set { self[WeatherKey.self] = newValue }
  }
  fileprivate var price: Int { self[PriceKey.self] }
  fileprivate var drawn: Int { self[DrawnKey.self] }
}

/// What a hub's reducer reads is the same wherever it runs, or is reported.
@Suite struct ReproducibilityTests {
  /// The surroundings of a hub's reducer, and what they receive.
  private final class HubReducer {
    private(set) var reports: [String] = []
    private(set) var drawnCount = 0
    private(set) lazy var surroundings = ReducerSurroundings(
      sender: { .hub },
      random: { [unowned self] in
        drawnCount += 1
        return 1
      }, region: { .standard }, report: { [unowned self] in reports.append($0) })
  }

  private let hub = HubReducer()
  @Dependency(\.weather) private var weather
  @Dependency(\.price) private var price
  @Dependency(\.drawn) private var drawn

  /// Runs an operation with live values, as in a program.
  private func live<Result>(_ operation: () -> Result) -> Result {
    withDependencies {
      $0.context = .live
    } operation: {
      operation()
    }
  }

  // MARK: Reports

  @Test func aReadOfAHubsReducerIsReportedOnce() throws {
    live {
      hub.surroundings.surround { #expect(weather == "rain" && weather == "rain") }
    }
    let report = try #require(hub.reports.first)
    #expect(hub.reports.count == 1)
    #expect(
      report.hasPrefix("the reducer reads @Dependency(\\.weather) (DependenciesTests/ReproducibilityTests.swift:"))
    #expect(report.contains("isReproducible = true” in WeatherKey"))
  }

  @Test func aDeclaredOneIsNotReported() {
    live {
      hub.surroundings.surround {
        #expect(price == 24)
        @Dependency(\.self) var dependencies
        _ = (dependencies.uuid(), dependencies.continuousClock, dependencies.calendar)
      }
    }
    #expect(hub.reports.isEmpty)
  }

  @Test func anOverrideIsNotReported() {
    live {
      withDependencies {
        $0.weather = "snow"
      } operation: {
        hub.surroundings.surround { #expect(weather == "snow") }
      }
    }
    #expect(hub.reports.isEmpty)
  }

  @Test func settingAValueInTheReducerIsNotReported() {
    let path: any WritableKeyPath<DependencyValues, String> & Sendable = \.weather
    live {
      hub.surroundings.surround {
        withDependencies {
          $0[keyPath: path] = "hail"
        } operation: {
          #expect(weather == "hail")
        }
      }
    }
    #expect(hub.reports.isEmpty)
  }

  @Test func aPreparedValueIsNotReported() {
    let recorder = Recorder()
    prepareDependencies { $0.weather = "fog" }
    withIssueReporters([recorder]) {
      hub.surroundings.surround { #expect(weather == "fog") }
    }
    #expect(recorder.messages.isEmpty && hub.reports.isEmpty)
  }

  @Test func otherReadsAreNotReported() {
    let plain = ReducerSurroundings(sender: { .effect })
    live {
      #expect(weather == "rain")
      plain.surround { #expect(weather == "rain") }
    }
    #expect(hub.reports.isEmpty)
  }

  @Test func aTestReportsItAsAnIssueOfTheDeclaration() throws {
    let recorder = Recorder()
    let line: UInt = #line + 1
    @Dependency(\.weather) var weather
    withIssueReporters([recorder]) {
      hub.surroundings.surround { #expect(weather == "sun" && weather == "sun") }
    }
    #expect(recorder.lines == [line] && hub.reports.isEmpty)
    let message = try #require(recorder.messages.first)
    #expect(message.hasPrefix("A hub's reducer reads @Dependency(\\.weather), which is not reproducible:"))
  }

  @Test func theCreationOfAValueDrawsNoNumberOfTheAction() {
    live {
      hub.surroundings.surround { _ = drawn }
    }
    #expect(hub.drawnCount == 0)
  }

  // MARK: Constants

  @Test(arguments: [DependencyContext.live, .test])
  func theCalendarOfAHubsReducerIsTheSameEverywhere(context: DependencyContext) {
    @Dependency(\.self) var dependencies
    withDependencies {
      $0.context = context
    } operation: {
      hub.surroundings.surround {
        #expect(dependencies.timeZone == .gmt)
        #expect(dependencies.locale.identifier == "en_US_POSIX")
        let calendar = dependencies.calendar
        #expect(calendar.identifier == .gregorian && calendar.timeZone == .gmt)
        #expect(calendar.locale?.identifier == "en_US_POSIX")
      }
    }
  }

  @Test func elsewhereItIsTheUsers() {
    @Dependency(\.self) var dependencies
    let plain = ReducerSurroundings(sender: { .effect })
    live {
      plain.surround {
        #expect(dependencies.calendar == .autoupdatingCurrent && dependencies.timeZone == .autoupdatingCurrent)
        #expect(dependencies.locale == .autoupdatingCurrent)
      }
    }
  }

  @Test func aFeatureMayReplaceIt() throws {
    let (zone, locale) = (try #require(TimeZone(secondsFromGMT: 7200)), Locale(identifier: "fi_FI"))
    prepareDependencies { $0.locale = locale }
    @Dependency(\.self) var dependencies
    withDependencies {
      $0.timeZone = zone
      $0.calendar = Calendar(identifier: .iso8601)
    } operation: {
      hub.surroundings.surround {
        #expect(dependencies.timeZone == zone && dependencies.locale == locale)
        #expect(dependencies.calendar.identifier == .iso8601)
      }
    }
  }
}
