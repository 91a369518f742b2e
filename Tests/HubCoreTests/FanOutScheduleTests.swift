import Testing

@testable import HubCore

/// The intervals between publications to everyone.
@Suite struct FanOutScheduleTests {
  private var limits: HubLimits {
    var limits = HubLimits()
    (limits.coalescing, limits.coalescingThreshold) = (.microseconds(2), 16)
    limits.longestCoalescing = .milliseconds(1)
    return limits
  }

  @Test func theIntervalGrowsWithTheNumberOfSubscribersUpToALimit() {
    for (count, interval) in [(15, Duration.zero), (16, .microseconds(32)), (100, .microseconds(200))] {
      var schedule = FanOutSchedule()
      schedule.begin(to: count, limits, isContended: false)
      #expect(schedule.awaitsEnd == (interval > .zero))
      schedule.ended(from: .seconds(1), to: .seconds(2), limits, isContended: false)
      #expect(schedule.beginTurn(at: .seconds(2)) == (interval > .zero ? .seconds(2) + interval : nil))
      #expect(schedule.beginTurn(at: .seconds(2) + interval) == nil)
    }
    var schedule = FanOutSchedule()
    schedule.begin(to: 1_000_000, limits, isContended: false)
    schedule.ended(from: .zero, to: .zero, limits, isContended: false)
    #expect(schedule.beginTurn(at: .zero) == .milliseconds(1))
  }

  /// A contended hub also delays the changes for a few, by three times as long as the last ones took.
  @Test func aContendedHubWaitsThreeTimesAsLongAsThePublicationTook() {
    var schedule = FanOutSchedule()
    schedule.begin(to: 1, limits, isContended: true)
    schedule.ended(from: .zero, to: .microseconds(100), limits, isContended: true)
    #expect(schedule.beginTurn(at: .microseconds(200)) == .microseconds(400))
    #expect(schedule.beginTurn(at: .microseconds(400)) == nil)
  }

  @Test func withoutItsEndAPublicationEndsWithTheNextTurn() {
    var schedule = FanOutSchedule()
    schedule.begin(to: 100, limits, isContended: false)
    #expect(schedule.beginTurn(at: .seconds(1)) == .seconds(1) + .microseconds(200))
    // It is too late for the end now.
    schedule.ended(from: .zero, to: .seconds(5), limits, isContended: false)
    #expect(schedule.beginTurn(at: .seconds(2)) == nil)
  }
}
