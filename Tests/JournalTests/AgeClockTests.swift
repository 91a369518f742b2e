import Testing

@testable import Journal

/// The time by which the age of sessions and turns is measured.
@Suite struct AgeClockTests {
  private let minute: Int64 = 60_000

  private func clock(_ time: Int64?) -> AgeClock { AgeClock(time, at: 0, longestStep: .seconds(3600)) }

  /// A monotonic time in nanoseconds.
  private func monotonic(_ minutes: Int64) -> Int64 { minutes * minute * 1_000_000 }

  @Test func itFollowsTheTurns() {
    var clock = clock(nil)
    #expect(clock.time == nil)
    clock.follow(5_000_000, at: monotonic(1))
    #expect(clock.time == 5_000_000)
    // A pause without turns.
    clock.follow(5_000_000 + 500 * minute, at: monotonic(501))
    #expect(clock.time == 5_000_000 + 500 * minute)
    clock.follow(1, at: monotonic(502))
    #expect(clock.time == 5_000_000 + 500 * minute)
  }

  @Test func aStoredTimeThatIsFarAheadDoesNotCount() {
    var clock = clock(100_000 * minute)
    clock.follow(minute, at: 0)
    #expect(clock.time == minute)
  }

  @Test func aShortStepCountsAtOnce() {
    var clock = clock(0)
    clock.follow(60 * minute, at: 0)
    #expect(clock.time == 60 * minute)
  }

  @Test func aLongStepCountsAfterAnHour() {
    var clock = clock(0)
    for minutes in 0..<60 {
      clock.follow((100_000 + Int64(minutes)) * minute, at: monotonic(Int64(minutes)))
      #expect(clock.time == Int64(minutes) * minute)
    }
    clock.follow(100_060 * minute, at: monotonic(60))
    #expect(clock.time == 100_060 * minute)
  }

  @Test func aStepThatIsTakenBackCountsNever() {
    var clock = clock(0)
    clock.follow(100_000 * minute, at: 0)
    clock.follow(50 * minute, at: monotonic(50))
    clock.follow(100_070 * minute, at: monotonic(70))
    #expect(clock.time == 70 * minute)
  }
}
