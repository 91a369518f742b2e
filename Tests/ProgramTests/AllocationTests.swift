import TestSupport
import Testing

/// Heap allocations per action and per turn, counted in a hub and a client that share a process (Fixtures/allocprobe).
///
/// The goals are for optimised code, which `scripts/allocations` checks. These bounds are for the debug build: they make
/// growth visible where no release build is at hand.
@Suite(.timeLimit(.minutes(5)), .blocking) struct AllocationTests {
  @Test func anActionAllocatesNoMoreThanBefore() throws {
    let outcome = try Program(name: "allocprobe").run()
    #expect(outcome.status == 0, "\(outcome.errors)")
    var found: [String: Double] = [:]
    for line in outcome.output.split(separator: "\n") {
      let words = line.split(separator: " ")
      found[words.dropLast().joined(separator: " ")] = words.last.flatMap { Double($0) }
    }
    // Not optimised, a reduced action boxes its effect once, and a sent one its closures.
    #expect(try #require(found["hub action"]) <= 1)
    #expect(try #require(found["hub with 10 subscribers action"]) <= 1)
    #expect(try #require(found["client and hub action"]) <= 7.5)
    #expect(try #require(found["hub turn"]) <= 40)
    #expect(try #require(found["hub with 10 subscribers turn"]) <= 350)
  }
}
