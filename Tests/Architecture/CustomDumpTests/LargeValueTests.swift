import CustomDump
import Glibc
import Testing

/// Values for which a slow algorithm would need minutes. The limits are generous, since only the growth matters.
@Suite struct LargeValueTests {
  private static let limit = Duration.seconds(60)

  private func timed(_ operation: () -> String?) -> (text: String, time: Duration) {
    var text: String?
    let start = processorTime()
    text = operation()
    return (text ?? "", processorTime() - start)
  }

  /// The processor time of this thread: pauses do not count.
  private func processorTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  @Test func oneChangeAmongMany() {
    let old = (0..<10_000).map { User(id: $0, name: "\($0)") }
    var new = old
    new[5_000].name = "other"
    let (text, time) = timed { diff(old, new) }
    #expect(
      text == """
          [
            … (5000 unchanged),
            [5000]: User(
              id: 5000,
        -     name: "5000"
        +     name: "other"
            ),
            … (4999 unchanged)
          ]
        """)
    #expect(time < Self.limit)
  }

  @Test func nothingInCommon() {
    let (text, time) = timed { diff(Array(0..<10_000), Array(10_000..<20_000)) }
    #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } == 20_001)
    #expect(text.hasPrefix("  [\n-   [0]: 0,\n+   [0]: 10000,\n-   [1]: 1,"))
    #expect(time < Self.limit)
  }

  @Test func everythingMoved() {
    let (text, time) = timed { diff(Array(0..<10_000), (0..<10_000).reversed()) }
    #expect(text.contains("unchanged") == false)
    #expect(time < Self.limit)
    let rotated = timed { diff(Array(0..<10_000), Array(1..<10_000) + [0]) }
    #expect(
      rotated.text == """
          [
        -   [0]: 0,
            … (9999 unchanged),
        +   [9999]: 0
          ]
        """)
    #expect(rotated.time < Self.limit)
  }

  @Test func elementsWithoutAHash() {
    let old = (0..<5_000).map { Point(x: $0, y: 0) }
    let (text, time) = timed { diff(old, [Point(x: -1, y: 0)] + old + [Point(x: -2, y: 0)]) }
    #expect(text.contains("… (5000 unchanged),"))
    #expect(time < Self.limit)
  }

  @Test func aChangeFarDown() {
    struct Level {
      var values = Array(0..<100)
      var next: [Level] = []
      var mark = 0
    }
    var (old, new) = (Level(), Level(mark: 1))
    for _ in 0..<60 { (old, new) = (Level(next: [old]), Level(next: [new])) }
    let (text, time) = timed { diff(old, new) }
    #expect(text.split(separator: "\n").filter { $0.hasPrefix("-") || $0.hasPrefix("+") }.count == 2)
    #expect(time < Self.limit)
  }

  @Test func manyLines() {
    let old = (0..<10_000).map { "line \($0)" }.joined(separator: "\n")
    let (text, time) = timed { diff(old, "first\n" + old) }
    #expect(text.hasPrefix("  \"\"\"\n+ first\n  line 0\n"))
    #expect(time < Self.limit)
  }
}
