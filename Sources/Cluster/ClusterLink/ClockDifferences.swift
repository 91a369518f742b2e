package import ClusterLog

/// The nodes whose clocks differ from that of this machine, as their links tell.
///
/// The log and the roles need no clock of the day. But turns have the time of the node that leads, which reducers read as
/// well, so that it jumps when another node takes over: the operator is told once for each node, and again when its clock
/// agrees.
package struct ClockDifferences: Sendable {
  private struct Entry {
    var difference: Duration
    var isLinked = true
  }

  private var entries: [NodeName: Entry] = [:]

  /// A difference that is told. A link may be wrong by half a second.
  package static let told = Duration.seconds(2)
  /// A smaller difference than this is none any more.
  package static let forgotten = Duration.seconds(1)

  /// What is news for the operator.
  package enum News: Equatable, Sendable {
    /// The clock differs by so much, positive if that of the other node is ahead.
    case differs(Duration)
    case agrees
  }

  /// No clock differs.
  package init() {}

  /// Notes the difference of a linked node's clock.
  package mutating func note(_ difference: Duration, of node: NodeName) -> News? {
    let size = max(difference, .zero - difference)
    guard entries[node] != nil else {
      guard size >= Self.told else { return nil }
      entries[node] = Entry(difference: difference)
      return .differs(difference)
    }
    entries[node] = size < Self.forgotten ? nil : Entry(difference: difference)
    return entries[node] == nil ? .agrees : nil
  }

  /// Notes that the link with a node has ended. Its clock is not told of again when it is linked again.
  package mutating func unlinked(_ node: NodeName) { entries[node]?.isLinked = false }

  /// The differences of linked nodes in milliseconds, to a tenth of a second.
  package var milliseconds: [String: Int64] {
    var found: [String: Int64] = [:]
    for (node, entry) in entries where entry.isLinked {
      found["\(node)"] = Int64((entry.difference / .milliseconds(100)).rounded()) * 100
    }
    return found
  }
}
