import ClusterLink
import ClusterLog
import Testing

/// What the operator is told of clocks.
@Suite struct ClockDifferencesTests {
  private let a = TestEnd.name("a")
  private let c = TestEnd.name("c")

  @Test func aClockIsToldOnceUntilItAgrees() {
    var clocks = ClockDifferences()
    #expect(clocks.note(.milliseconds(1900), of: c) == nil && clocks.milliseconds.isEmpty)
    #expect(clocks.note(.seconds(10), of: c) == .differs(.seconds(10)))
    #expect(clocks.note(.milliseconds(10_120), of: c) == nil && clocks.milliseconds == ["c": 10_100])
    // A clock that is being set slowly is not told of again and again.
    #expect(clocks.note(.milliseconds(1500), of: c) == nil && clocks.milliseconds == ["c": 1500])
    #expect(clocks.note(.seconds(3), of: c) == nil)
    #expect(clocks.note(.milliseconds(-900), of: c) == .agrees && clocks.milliseconds.isEmpty)
    #expect(clocks.note(.milliseconds(20), of: c) == nil)
    #expect(clocks.note(.seconds(-10), of: c) == .differs(.seconds(-10)) && clocks.milliseconds == ["c": -10_000])
  }

  @Test func eachNodeIsToldOf() {
    var clocks = ClockDifferences()
    #expect(clocks.note(.seconds(10), of: c) == .differs(.seconds(10)))
    #expect(clocks.note(.seconds(4), of: a) == .differs(.seconds(4)))
    #expect(clocks.milliseconds == ["a": 4000, "c": 10_000])
  }

  /// The hub of a node with a wrong clock may end and begin links often.
  @Test func aNodeThatIsLinkedAgainIsNotNews() {
    var clocks = ClockDifferences()
    _ = clocks.note(.seconds(10), of: c)
    clocks.unlinked(c)
    clocks.unlinked(a)
    #expect(clocks.milliseconds.isEmpty)
    #expect(clocks.note(.seconds(10), of: c) == nil && clocks.milliseconds == ["c": 10_000])
    #expect(clocks.note(.zero, of: c) == .agrees)
  }
}
