import CustomDump
import Sharing
import Testing

/// The representation of shares in dumps and differences.
@Suite struct DumpTests {
  private struct Stats: Equatable, Sendable { var count = 0, best = 9 }

  private struct State {
    @Shared var stats: Stats
    @Shared var first: Int
    @Shared var second: Int
    @SharedReader var notes: String
    @Shared var name: String?

    init() {
      _stats = Shared(value: Stats())
      _first = Shared(value: 1)
      _second = Shared(value: 2)
      _notes = SharedReader(value: "a\nb")
      _name = Shared(value: nil)
    }
  }

  /// A type that is neither equatable nor hashable.
  private struct Thing: Sendable { var size = 1 }

  private func changes(_ state: State, _ operation: (State) -> Void) -> String? {
    let tracker = SharedChangeTracker(reportUnassertedChanges: false)
    tracker.track { operation(state) }
    return tracker.assert { diff(state, state) }
  }

  @Test func aShareIsItsValueBehindItsNumber() {
    #expect(
      String(customDumping: State()) == """
        DumpTests.State(
          _stats: #1 DumpTests.Stats(
            count: 0,
            best: 9
          ),
          _first: #1 1,
          _second: #2 2,
          _notes: #1 \"""
            a
            b
            \""",
          _name: #1 nil
        )
        """)
    @Shared(value: 4) var count
    #expect(String(customDumping: $count) == "#1 4")
    #expect(String(customDumping: [$count, $count]) == "[\n  [0]: #1 4,\n  [1]: #1 4\n]")
  }

  @Test func aTrackedChangeHasTheValueBeforeAndAfter() {
    let state = State()
    let first = changes(state) {
      $0.$stats.count.withLock { $0 = 1 }
      $0.$second.withLock { $0 = 3 }
      $0.$name.withLock { $0 = "Blob" }
    }
    #expect(
      first == """
          DumpTests.State(
            _stats: #1 DumpTests.Stats(
        -     count: 0,
        +     count: 1,
              best: 9
            ),
            _first: #1 1,
        -   _second: #2 2,
        +   _second: #2 3,
            _notes: #1 "…",
        -   _name: #1 nil
        +   _name: #1 "Blob"
          )
        """)
    #expect(changes(state) { _ in } == nil)
    #expect(changes(state) { $0.$first.withLock { $0 = 1 } } == nil)
  }

  @Test func linesOfATextAreComparedOneByOne() {
    @Shared(value: "a\nb") var text
    let tracker = SharedChangeTracker(reportUnassertedChanges: false)
    tracker.track { $text.withLock { $0 = "a\nc" } }
    #expect(tracker.assert { diff($text, $text) } == "  #1 \"\"\"\n  a\n- b\n+ c\n  \"\"\"")
  }

  @Test func anotherShareIsAnotherThing() {
    let (one, other) = (Shared(value: 1), Shared(value: 2))
    #expect(diff(one, other) == "- #1 1\n+ #2 2")
    // Compared by their values.
    #expect(diff(one, Shared(value: 1)) == nil)
  }

  @Test func valuesThatCannotBeComparedAreComparedFieldByField() {
    @Shared(value: Thing()) var thing
    let tracker = SharedChangeTracker(reportUnassertedChanges: false)
    #expect(tracker.assert { diff($thing, $thing) } == nil)
    tracker.track { $thing.withLock { $0.size = 2 } }
    #expect(tracker.assert { diff($thing, $thing) } == "- #1 DumpTests.Thing(size: 1)\n+ #1 DumpTests.Thing(size: 2)")
  }

  @Test func removedAndInsertedSharesHaveTheValuesOfTheirSide() {
    @Shared(value: 1) var count
    let tracker = SharedChangeTracker(reportUnassertedChanges: false)
    tracker.track { $count.withLock { $0 = 2 } }
    tracker.assert {
      #expect(diff([$count], []) == "  [\n-   [0]: #1 1\n  ]")
      #expect(diff([], [$count]) == "  [\n+   [0]: #1 2\n  ]")
    }
  }
}
