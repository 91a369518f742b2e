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
}
