import Testing

@testable import HubCore

/// The amount of work in a turn, with a clock that the tests control.
@Suite struct WorkMeterTests {
  /// Runs turns with an unlimited amount of work, and returns their durations.
  private func turns(_ count: Int, nanosecondsPerAction: UInt64) -> [UInt64] {
    var meter = WorkMeter()
    var now: UInt64 = 1_000_000_000
    return (0..<count).map { _ in
      let start = now
      while meter.limit > 0 {
        let work = meter.limit
        now += UInt64(work) * nanosecondsPerAction
        meter.note(work, now: now, turnStart: start)
      }
      meter.beginTurn()
      return now - start
    }
  }

  @Test(arguments: [50, 1000, 20_000, 1_000_000] as [UInt64])
  func aTurnIsShortWhateverAnActionCosts(cost: UInt64) {
    let turns = turns(20, nanosecondsPerAction: cost)
    // The first slice is a guess.
    #expect(turns[0] <= max(64 * cost + 1_250_000, 1_500_000))
    for turn in turns.dropFirst() { #expect(turn <= max(1_500_000, 1_000_000 + cost)) }
  }

  /// The last frame of a slice is handled as a whole if it is small compared with the slice.
  @Test func aSliceRarelyEndsWithinAFrame() {
    var meter = WorkMeter()
    meter.note(meter.limit, now: 100, turnStart: 0)
    meter.beginTurn()
    for _ in 0..<7 { meter.note(65, now: Self.unread(), turnStart: Self.unread()) }
    #expect(meter.limit < 65 && meter.readLimit >= 65)
    meter.note(65, now: 1_000, turnStart: 200)
    #expect(meter.limit == 512)
  }

  @Test func aSmallTurnDoesNotReadTheClock() {
    var meter = WorkMeter()
    for _ in 0..<10 {
      meter.note(50, now: Self.unread(), turnStart: Self.unread())
      meter.beginTurn()
    }
  }

  /// The slices between two polls of a contended turn are a fiftieth of the others, and have at least two actions.
  @Test(arguments: [(50, 100), (500, 10), (100_000, 2)] as [(UInt64, Int)])
  func contendedSlicesAreShort(cost: UInt64, count: Int) {
    var meter = WorkMeter()
    for _ in 0..<40 { meter.noteContended(100, elapsed: 100 * cost) }
    #expect(abs(meter.contendedLimit - count) <= count / 10)
  }

  /// Actions that are suddenly slower end the turn, and the next one has fewer of them.
  @Test func aLateTurnEndsAndIsMeasured() {
    var meter = WorkMeter()
    for _ in 0..<10 {
      meter.note(meter.limit, now: 1_000, turnStart: 0)
      meter.beginTurn()
    }
    #expect(meter.limit == 512)
    meter.isLate = true
    meter.note(10, now: 10_000_000, turnStart: 0)
    #expect(meter.limit == 0)
    meter.beginTurn()
    #expect(meter.limit == 1 && !meter.isLate)
  }

  /// Work that is guaranteed in spite of the limit is measured as what it was.
  @Test func workBeyondTheLimitIsMeasured() {
    var meter = WorkMeter()
    for _ in 0..<10 {
      meter.note(meter.limit, now: 1_000, turnStart: 0)
      meter.beginTurn()
    }
    // The turn's time is spent.
    meter.note(512, now: 2_000_000, turnStart: 0)
    #expect(meter.limit == 0)
    meter.note(32, now: 5_200_000, turnStart: 0)
    meter.beginTurn()
    // 100 µs each.
    #expect(meter.limit == 2)
  }

  private static func unread() -> UInt64 {
    Issue.record("the clock was read")
    return 0
  }
}
