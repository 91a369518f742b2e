import ClusterCore
import ClusterLog
import Testing

/// A node follows the log.
@Suite struct FollowingTests {
  /// One read brings a few entries. A node that lacks many must not wait for the next poll each time.
  @Test func aNodeThatLacksManyEntriesReadsOn() {
    let log = TestNode.log(turns: 9)
    let node = TestNode.follower(of: Array(log[..<2]))
    for read in 0..<3 {
      guard case .read(let number, .entries(let position))? = node.lastRead else { Issue.record("no read"); return }
      #expect(position == UInt64(3 + 2 * read))
      node.clear()
      let some = log.dropFirst(Int(position) - 1).prefix(2).map { TestNode.stored($0) }
      node.core.readEnded(number, in: TestNode.store, .entries(some, first: 1, beat: nil, at: 50))
      node.take()
      #expect(node.applied.count == 2)
    }
    guard case .read(let last, _)? = node.lastRead else { Issue.record("no read"); return }
    node.findNoMore()
    guard case .read(last, _)? = node.lastRead else { Issue.record("it reads on"); return }
  }

  /// After a compaction, etcd goes on with later events. On a quiet log, nothing else shows that some are missing.
  @Test func aNodeReadsAtOnceWhatTheWatchHasLost() {
    let log = TestNode.log(turns: 4)
    let node = TestNode.follower(of: Array(log[..<2]))
    node.findNoMore()
    node.clear()
    node.core.watchMissedEvents()
    node.take()
    guard case .read(let number, .entries(from: 3))? = node.lastRead else { Issue.record("it waits"); return }
    // The answer may be one from before the next loss.
    node.core.watchMissedEvents()
    node.take()
    guard case .read(number, _)? = node.lastRead else { Issue.record("it reads twice"); return }
    node.findNoMore()
    guard case .read(let next, .entries(from: 3))? = node.lastRead, next != number else {
      Issue.record("it waits")
      return
    }
    node.core.readEnded(
      next, in: TestNode.store, .entries(log[2...].map { TestNode.stored($0) }, first: 1, beat: nil, at: 60))
    node.take()
    node.findNoMore()
    #expect(node.applied.count == log.count - 2)
    guard case .read(let last, .entries(from: UInt64(log.count) + 1))? = node.lastRead else {
      Issue.record("it reads what it has")
      return
    }
    node.pass(.milliseconds(100))
    guard case .read(last, _)? = node.lastRead else { Issue.record("it reads again and again"); return }
  }

  @Test func aNodeThatProvesItsJournalReadsNothingForALostEvent() {
    let node = TestNode(journal: TestNode.journal(TestNode.log(turns: 1)))
    node.core.watchMissedEvents()
    node.take()
    #expect(node.lastRead == nil)
  }
}
