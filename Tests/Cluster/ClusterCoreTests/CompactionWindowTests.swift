import Testing

@testable import ClusterCore

@Suite struct CompactionWindowTests {
  @Test func aLeaderCompactsUpToTheBeginningOfTheWindow() {
    var window = CompactionWindow(revisions: 100, bytes: 1000)
    #expect(window.note(revision: 10, bytes: 5000) == nil)
    #expect(window.note(revision: 109, bytes: 10) == nil)
    #expect(window.note(revision: 110, bytes: 10) == 10)
    #expect(window.note(revision: 111, bytes: 999) == nil)
    #expect(window.note(revision: 112, bytes: 1) == 110)
    // A store that was restored counts again.
    #expect(window.note(revision: 5, bytes: 1) == nil)
    #expect(window.note(revision: 105, bytes: 1) == 5)
  }
}
