import ClusterLog
import Testing

@Suite struct TrimPlanTests {
  private func plan(_ stored: [String: UInt64], of count: Int, kept: UInt64 = 0) -> TrimPlan {
    var plan = TrimPlan(members: Set(["a", "b", "c", "d", "e"].prefix(count).map(Samples.name)), kept: kept)
    for (name, position) in stored { plan.note(Samples.name(name), stored: position) }
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
  }

  @Test func strangersDoNotCount() {
    #expect(plan(["a": 9, "e": 9], of: 3).majority == 0)
  }

  @Test func theLastEntryAndTheKeptOnesStay() {
    #expect(plan(["a": 9], of: 1).firstKept(tail: 9) == 9)
    #expect(plan(["a": 9], of: 1, kept: 4).firstKept(tail: 9) == 5)
    #expect(plan(["a": 9], of: 1, kept: 40).firstKept(tail: 9) == 1)
    #expect(plan(["a": 9], of: 1).firstKept(tail: 3) == 3)
  }

  @Test func aNodeThatIsNotLinkedDoesNotCount() {
    var plan = plan(["a": 100, "b": 100, "c": 7], of: 3)
    #expect(plan.firstKept(tail: 100) == 100)
    plan.forget(Samples.name("b"))
    #expect(plan.majority == 7 && plan.firstKept(tail: 100) == 7)
  }
}
