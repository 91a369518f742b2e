import ClusterLog
import Testing

@Suite struct TrimPlanTests {
  /// A plan for a log of entries of 10 bytes.
  private func plan(
    _ stored: [String: UInt64], of count: Int, kept: Int = 0, step: Int = 1, entries: ClosedRange<UInt64> = 1...9
  ) -> TrimPlan {
    var plan = TrimPlan(
      members: Set(["a", "b", "c", "d", "e"].prefix(count).map(Samples.name)), keptBytes: kept, stepBytes: step)
    for (name, position) in stored { plan.note(Samples.name(name), stored: position) }
    for position in entries { plan.count(position, byteCount: 10) }
    return plan
  }

  @Test func aMajorityMustHaveStoredWhatIsRemoved() {
    #expect(plan([:], of: 3).majority == 0)
    #expect(plan(["a": 9], of: 3).majority == 0)
    #expect(plan(["a": 9, "b": 5], of: 3).majority == 5)
    #expect(plan(["a": 9, "b": 5, "c": 7], of: 3).majority == 7)
    #expect(plan(["a": 9, "b": 5], of: 2).majority == 5)
    #expect(plan(["a": 9, "b": 5], of: 4).majority == 0)
    #expect(plan(["a": 9, "b": 5, "c": 7, "d": 1], of: 5).majority == 5)
    #expect(plan(["a": 9], of: 1).majority == 9)
  }

  @Test func aNodeThatLostItsDiskCountsNoLonger() {
    var plan = plan(["a": 9, "b": 8], of: 3)
    plan.note(Samples.name("b"), stored: 0)
    #expect(plan.majority == 0)
    plan.note(Samples.name("b"), stored: 8)
    plan.forgetAll()
    #expect(plan.majority == 0)
  }

  @Test func strangersDoNotCount() {
    #expect(plan(["a": 9, "e": 9], of: 3).majority == 0)
  }

  @Test func theLastEntryAndTheKeptBytesStay() {
    #expect(plan(["a": 9], of: 1).firstKept(isFull: false) == 9)
    #expect(plan(["a": 40], of: 1).firstKept(isFull: false) == 9)
    #expect(plan(["a": 9], of: 1, kept: 40).firstKept(isFull: false) == 6)
    #expect(plan(["a": 9], of: 1, kept: 41).firstKept(isFull: false) == 5)
    #expect(plan(["a": 9], of: 1, kept: 90).firstKept(isFull: false) == nil)
    #expect(plan(["a": 3], of: 1, kept: 40).firstKept(isFull: false) == 3)
  }

  @Test func aFullStoreKeepsNothingForNodesThatWereAway() {
    #expect(plan(["a": 9], of: 1, kept: 1000).firstKept(isFull: true) == 9)
    #expect(plan(["a": 4], of: 1, kept: 1000).firstKept(isFull: true) == 4)
    // The log has nothing beyond its last entry.
    #expect(plan(["a": 40], of: 1).firstKept(isFull: true) == 9)
  }

  /// A node that starts has counted nothing, and may find the store full before it can append anything.
  @Test func aFullStoreKeepsNothingThatWasNotCounted() {
    var plan = TrimPlan(members: [Samples.name("a")], keptBytes: 0, stepBytes: 800)
    plan.note(Samples.name("a"), stored: 30)
    #expect(plan.firstKept(isFull: false) == nil && plan.firstKept(isFull: true) == 30)
    plan.removed(before: 30)
    #expect(plan.firstKept(isFull: true) == nil)
    plan.count(31, byteCount: 10)
    plan.note(Samples.name("a"), stored: 31)
    #expect(plan.firstKept(isFull: true) == 31)
  }

  @Test func entriesAreRemovedInSteps() {
    // Stretches of three entries.
    var plan = plan(["a": 9], of: 1, kept: 20, step: 30)
    #expect(plan.firstKept(isFull: false) == 7)
    plan.removed(before: 7)
    #expect(plan.firstKept(isFull: false) == nil)
    for position in UInt64(10)...12 { plan.count(position, byteCount: 10) }
    plan.note(Samples.name("a"), stored: 12)
    #expect(plan.firstKept(isFull: false) == 10)
  }

  /// A node that starts does not know the sizes of earlier entries, and removes them with the first that it knows.
  @Test func afterAGapThePlanBeginsAnew() {
    var plan = plan(["a": 30], of: 1, kept: 20)
    for position in UInt64(20)...23 { plan.count(position, byteCount: 10) }
    #expect(plan.firstKept(isFull: false) == 22)
  }

  @Test func aLongLogHasALimitedNumberOfStretches() {
    var plan = plan(["a": 5000], of: 1, kept: 100, entries: 1...5000)
    #expect(plan.firstKept(isFull: false) == 4991)
    plan.note(Samples.name("a"), stored: 3000)
    #expect(plan.firstKept(isFull: false) == nil)
    plan.note(Samples.name("a"), stored: 4500)
    #expect(plan.firstKept(isFull: false) == 4500)
  }

  @Test func aNodeThatIsNotLinkedDoesNotCount() {
    var plan = plan(["a": 100, "b": 100, "c": 7], of: 3)
    #expect(plan.firstKept(isFull: false) == 9)
    plan.forget(Samples.name("b"))
    #expect(plan.majority == 7 && plan.firstKept(isFull: false) == 7)
  }
}
