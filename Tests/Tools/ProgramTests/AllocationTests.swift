import TestSupport
import Testing

/// Heap allocations per action and per turn, counted in a process with a hub and a client (Fixtures/allocprobe).
///
/// The goals are for optimised code, which `scripts/allocations` checks. These limits are for the debug build; they
/// detect growth without a release build.
@Suite(.timeLimit(.minutes(30)), .blocking) struct AllocationTests {
  @Test func anActionAllocatesNoMoreThanBefore() throws {
    let outcome = try Program(name: "allocprobe").run()
    #expect(outcome.status == 0, "\(outcome.errors)")
    var found: [String: Double] = [:]
    for line in outcome.output.split(separator: "\n") {
      let words = line.split(separator: " ")
      found[words.dropLast().joined(separator: " ")] = words.last.flatMap { Double($0) }
    }
    // Without optimisation, reducing an action boxes its effect, and sending one boxes its closures.
    #expect(try #require(found["hub action"]) <= 1)
    #expect(try #require(found["hub with 10 subscribers action"]) <= 1)
    #expect(try #require(found["client and hub action"]) <= 7.5)
    #expect(try #require(found["hub turn"]) <= 40)
    #expect(try #require(found["hub with 10 subscribers turn"]) <= 350)
  }
}
