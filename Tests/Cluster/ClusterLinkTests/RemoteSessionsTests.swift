import ClusterCore
import ClusterLink
import ClusterLog
import Testing

/// The clients of other nodes that count as attached.
@Suite struct RemoteSessionsTests {
  private let a = TestEnd.name("a")
  private let b = TestEnd.name("b")
  private let first = TestEnd.session(1)
  private let second = TestEnd.session(2)

  // Functions, because an expectation changes no value in it.

  private func lost(at time: Duration, from remotes: inout RemoteSessions) -> [ClusterSession] {
    remotes.takeLost(at: time)
  }

  private func isRemoved(_ session: ClusterSession, of node: NodeName, from remotes: inout RemoteSessions) -> Bool {
    remotes.remove(session, of: node)
  }

  @Test func theClientsOfANodeWithoutALinkAreLostAfterATime() {
    var remotes = RemoteSessions()
    remotes.add(first, of: a)
    remotes.add(second, of: b)
    remotes.closed(a, at: .seconds(1))
    #expect(remotes.nextTime == .seconds(11))
    #expect(lost(at: .milliseconds(10_999), from: &remotes).isEmpty)
    #expect(lost(at: .seconds(11), from: &remotes) == [first])
    #expect(remotes.nextTime == nil && lost(at: .seconds(99), from: &remotes).isEmpty)
  }

  @Test func aClientThatIsToldOfOverTheNextLinkIsNotLost() {
    var remotes = RemoteSessions()
    remotes.add(first, of: a)
    remotes.closed(a, at: .zero)
    remotes.add(first, of: a)
    #expect(remotes.nextTime == nil && lost(at: .seconds(60), from: &remotes).isEmpty)
    #expect(isRemoved(first, of: a, from: &remotes))
  }

  /// While there is no link, nothing tells that a client goes.
  @Test func aClientThatIsGoneWhenTheLinkIsBackIsLost() {
    var remotes = RemoteSessions()
    remotes.add(first, of: a)
    remotes.add(second, of: a)
    remotes.closed(a, at: .zero)
    remotes.add(second, of: a)
    #expect(remotes.nextTime == .seconds(10))
    #expect(lost(at: .seconds(10), from: &remotes) == [first])
    #expect(!isRemoved(first, of: a, from: &remotes) && isRemoved(second, of: a, from: &remotes))
  }

  /// A link that breaks again and again does not keep a client that is gone.
  @Test func anotherBreakDoesNotGiveMoreTime() {
    var remotes = RemoteSessions()
    remotes.add(first, of: a)
    remotes.add(second, of: a)
    remotes.closed(a, at: .zero)
    remotes.add(second, of: a)
    remotes.closed(a, at: .seconds(4))
    #expect(lost(at: .seconds(10), from: &remotes) == [first])
    #expect(remotes.nextTime == .seconds(14))
    #expect(lost(at: .seconds(14), from: &remotes) == [second])
  }

  @Test func aClientMayComeOverAnotherLink() {
    var remotes = RemoteSessions()
    remotes.add(first, of: a)
    remotes.add(first, of: b)
    #expect(!isRemoved(first, of: a, from: &remotes))
    remotes.closed(a, at: .zero)
    #expect(remotes.nextTime == nil)
    remotes.closed(b, at: .zero)
    remotes.add(first, of: a)
    #expect(lost(at: .seconds(10), from: &remotes).isEmpty && isRemoved(first, of: a, from: &remotes))
  }
}
