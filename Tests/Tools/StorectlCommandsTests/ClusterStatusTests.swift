import JSONText
import Testing
import Wire

@testable import StorectlCommands

/// The part of a hub in its cluster, as an operator reads it.
@Suite struct ClusterStatusTests {
  private var follower: ClusterStatus {
    var status = ClusterStatus(node: "b")
    (status.leader, status.term, status.position, status.linkedNodes) = ("a", 3, 5120, ["a", "c"])
    return status
  }

  @Test func aFollowerNamesItsLeaderAndWhatItLacks() {
    var status = follower
    #expect(status.text == "node b follows a in term 3; linked with a, c")
    status.lag = 1
    #expect(status.summary == "node b follows a in term 3, 1 entry behind")
    status.lag = 2
    #expect(status.summary == "node b follows a in term 3, 2 entries behind")
    #expect(status.rows.map(\.0) == ["node", "leader", "term", "condition", "entry", "links", "held", "takeovers"])
    #expect(status.rows.map(\.1).prefix(6) == ["b", "a", "3", "current", "5120, 2 behind the leader", "a, c"])
    #expect(status.json["staleSince"] == .null && status.json["leader"] == .string("a"))
    #expect(status.json["lag"] == .integer(2))
    (status.snapshotsGiven, status.snapshotsTaken) = (2, 1)
    #expect(status.rows.last?.0 == "snapshots" && status.rows.last?.1 == "2 given, 1 taken by this process")
    #expect(status.json["snapshotsGiven"] == .integer(2) && status.json["snapshotsTaken"] == .integer(1))
  }

  @Test func aRelayNamesTheNodeThatItFollows() {
    var status = follower
    (status.node, status.upstream, status.level) = ("e", "d", 2)
    #expect(status.summary == "relay e follows a in term 3 over d")
    #expect(status.rows.contains { $0.0 == "follows" && $0.1 == "d, on level 2" })
    #expect(status.json["upstream"] == .string("d") && status.json["level"] == .integer(2))
    status.upstream = "a"
    #expect(status.summary == "relay e follows a in term 3")
    (status.upstream, status.condition) = ("", ClusterStatus.Condition.waiting.rawValue)
    #expect(status.summary == "relay e: actions wait for a node to follow that is current")
    #expect(status.rows.contains { $0.0 == "follows" && $0.1 == "none, on level 2" })
    #expect(follower.json["upstream"] == .null && follower.json["level"] == .integer(0))
  }

  @Test func aLeaderSaysSo() {
    var status = follower
    status.node = "a"
    #expect(status.summary == "node a leads in term 3")
    #expect(status.rows[1].1 == "a, this node")
  }

  @Test func whoWaitsSaysForWhatAndSinceWhen() {
    var status = follower
    (status.condition, status.staleSince) = (ClusterStatus.Condition.waiting.rawValue, 1_800_000_000_000)
    #expect(status.text.hasPrefix("node b: actions wait for etcd or a node that leads; the state may be stale since "))
    #expect(status.rows.contains { $0.0 == "stale" && $0.1.hasPrefix("since ") })
    #expect(status.json["staleSince"] == .string("2027-01-15T08:00:00.000Z"))
    status.condition = ClusterStatus.Condition.full.rawValue
    #expect(status.summary == "node b: actions wait for room in etcd")
    (status.leader, status.condition) = ("", ClusterStatus.Condition.waiting.rawValue)
    #expect(status.summary == "node b: actions wait for etcd" && status.json["leader"] == .null)
  }

  @Test func clocksThatDifferAreNamed() {
    var status = follower
    #expect(status.json["clockDifferences"] == .object([]) && status.clockDifference == 0)
    status.clockDifferences = ["c": -10_040, "a": 2100]
    #expect(
      status.text.hasSuffix(
        "linked with a, c; the clock of a is 2.1 s ahead of this node's, c is 10.0 s behind this node's"))
    #expect(
      status.rows.contains { $0.0 == "clock" && $0.1.hasPrefix("that of a is 2.1 s ahead of this node's, c is 10.0 s") }
    )
    #expect(status.json["clockDifferences"]?["c"] == .integer(-10_040) && status.clockDifference == -10_040)
  }

  @Test func removedNodesAreNamed() {
    var status = follower
    #expect(status.json["removedNodes"] == .array([]) && !status.rows.contains { $0.0 == "removed" })
    status.removedNodes = ["c", "d"]
    #expect(status.rows.contains { $0 == ("removed", "c, d") })
    #expect(status.json["removedNodes"] == .array([.string("c"), .string("d")]))
  }

  /// A hub of a later version may have other conditions, and a hub may send any text.
  @Test func textsOfTheHubAreShownSafely() {
    var status = follower
    (status.node, status.condition) = ("b\u{1b}[2J", "resting")
    #expect(!status.text.contains("\u{1b}") && !status.rows.contains { $0.1.contains("\u{1b}") })
  }
}
