/// The part of a hub in its cluster, among its metrics (`HubMetrics.cluster`).
///
/// The text for operators is `summary`; a program compares `condition`.
@Replicated
public struct ClusterStatus: Equatable, Sendable {
  /// The name of the hub's node.
  public var node: String
  /// The name of the node that leads, as far as this one knows; empty if none does. The hub leads if it is `node`.
  public var leader = ""
  /// The term of this leader; 0 if there was none yet.
  public var term: UInt64 = 0
  /// What the hub may do for its clients: a `Condition` by its raw value, or one of a later version.
  public var condition = Condition.current.rawValue
  /// While the condition is not `current`: the time in milliseconds since 1970 from which on the state may be stale.
  /// Otherwise 0.
  public var staleSince: Int64 = 0
  /// The position of the last entry of the log that the hub has applied.
  public var position: UInt64 = 0
  /// The number of further entries that the leader has announced, at most a quarter of a second ago.
  public var lag: UInt64 = 0
  /// The bytes of the actions of the hub's clients that the log does not have yet.
  public var heldBytes: UInt64 = 0
  /// Counter: how often this process has become the leader.
  public var takeovers: UInt64 = 0
  /// The names of the nodes to which a link is open, in order.
  public var linkedNodes: [String] = []
  /// The linked nodes whose clocks differ from that of this machine, each with the difference in milliseconds, which is
  /// positive if that node's clock is ahead. Empty if the clocks agree to about a second.
  public var clockDifferences: [String: Int64] = [:]
  /// Counter: how often this process has sent another node a snapshot of its state.
  public var snapshotsGiven: UInt64 = 0
  /// Counter: how often this process has begun with the snapshot of another node.
  public var snapshotsTaken: UInt64 = 0
  /// The names of the nodes that the operator has removed from the cluster, in order.
  public var removedNodes: [String] = []
  /// The node that a relay follows; empty while there is none, and for a member of the cluster.
  public var upstream = ""
  /// The level of a relay: 1 for one that follows a member, 2 for one that follows such a relay. 0 for a member.
  public var level: UInt64 = 0

  /// Creates the status of a node that follows nobody yet.
  public init(node: String) { self.node = node }
}

extension ClusterStatus {
  /// What a hub of a cluster may do for its clients.
  public enum Condition: String, Sendable {
    /// The state is that of the log, as far as the hub knows, and actions are stored.
    case current
    /// The hub proves that its journal belongs to the log.
    case starting
    /// The log cannot be appended to, or no node leads. The state may be stale, and actions wait.
    case waiting
    /// The same, because etcd is full.
    case full
    /// The hub does not serve, and needs the operator.
    case refused
  }

  /// True if the hub leads.
  public var leads: Bool { leader == node }

  /// The greatest of the differences between the clocks, in milliseconds; 0 if the clocks agree.
  public var clockDifference: Int64 { clockDifferences.values.max { $0.magnitude < $1.magnitude } ?? 0 }

  /// A difference between clocks in milliseconds as a text, such as `10.0 s ahead of`.
  package static func clockText(_ difference: Int64) -> String {
    let tenths = (difference.magnitude + 50) / 100
    return "\(tenths / 10).\(tenths % 10) s \(difference < 0 ? "behind" : "ahead of")"
  }

  /// The differences between the clocks in a phrase, such as `a is 10.0 s ahead of this node's`; nil if the clocks agree.
  package var clockSummary: String? {
    guard !clockDifferences.isEmpty else { return nil }
    return clockDifferences.sorted { $0.key < $1.key }.map { "\($0.key) is \(Self.clockText($0.value)) this node's" }
      .joined(separator: ", ")
  }

  /// The status in a phrase, such as `node b follows a in term 3, 2 entries behind`. It does not say since when the state
  /// may be stale.
  public var summary: String {
    switch Condition(rawValue: condition) {
    case .starting: return "node \(node) proves its journal"
    case .waiting:
      if level > 0 { return "relay \(node): actions wait for a node to follow that is current" }
      let cause = leader.isEmpty || leads ? "etcd" : "etcd or a node that leads"
      return "node \(node): actions wait for \(cause)"
    case .full: return "node \(node): actions wait for room in etcd"
    case .refused: return "node \(node) does not serve"
    case .current, nil:
      guard !leads else { return "node \(node) leads in term \(term)" }
      guard !leader.isEmpty else { return "node \(node) follows nobody yet" }
      let over = level == 0 || upstream.isEmpty || upstream == leader ? "" : " over \(upstream)"
      let behind = lag == 0 ? "" : ", \(lag) \(lag == 1 ? "entry" : "entries") behind"
      return "\(level > 0 ? "relay" : "node") \(node) follows \(leader) in term \(term)\(over)\(behind)"
    }
  }
}
