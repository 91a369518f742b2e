import Testing

@testable import ClusterCore

@Suite struct CompactionWindowTests {
  @Test func aLeaderCompactsUpToTheBeginningOfTheWindow() {
    var window = CompactionWindow(writes: 3, bytes: 1000)
    #expect(window.note(revision: 10, bytes: 5000) == nil)
    #expect(window.note(revision: 11, bytes: 10) == nil)
    #expect(window.note(revision: 12, bytes: 10) == nil)
    #expect(window.note(revision: 13, bytes: 10) == 10)
    #expect(window.note(revision: 14, bytes: 999) == nil)
    #expect(window.note(revision: 15, bytes: 1) == 13)
    // A store that was restored counts again.
    #expect(window.note(revision: 5, bytes: 1) == nil)
    #expect(window.note(revision: 6, bytes: 1) == nil)
    #expect(window.note(revision: 7, bytes: 1) == nil)
    #expect(window.note(revision: 8, bytes: 1) == 5)
  }

  /// The revisions of an etcd count the writes of all logs in it.
  @Test func theWritesOfOtherLogsDoNotCount() {
    var window = CompactionWindow(writes: 3, bytes: 1000)
    let compacted = stride(from: UInt64(100), to: 1300, by: 100).compactMap { window.note(revision: $0, bytes: 1) }
    #expect(compacted == [100, 400, 700])
  }
}
