package import Configuration
package import EventLoop
package import Journal
package import ServiceProcess
public import TurnLog
package import Wire

/// Makes a hub a node of a cluster. The module `ClusterHub` has the one that keeps the log in etcd.
///
/// A service that names none links neither a client of etcd nor TLS, and refuses a section `[cluster]`.
public nonisolated protocol ClusterSupport {
  /// Joins the cluster.
  ///
  /// - Parameter request: The cluster, and this hub.
  /// - Returns: The log, which calls back when the hub may serve.
  /// - Throws: The reason why the hub cannot take part, such as an address in use.
  @MainActor static func join(_ request: ClusterRequest) throws -> any ReplicatedLog
}

/// A hub that joins a cluster.
public struct ClusterRequest {
  package let settings: ClusterSettings
  /// The schemas of the turns. The last one is that of the feature; there is another one before it if the log has that
  /// one, and the hub stands by to change it.
  package let schemas: [Schema]
  /// The copy of the log on this machine, the position of its last turn, and the place where that is in the log.
  package let journal: Journal
  package let tail: UInt64
  package let place: [UInt8]?
  /// The directory of that journal.
  package let directory: String
  /// The number of snapshots of other nodes that this process has begun with.
  package let snapshotsTaken: UInt64
  package let loop: EventLoop
  package let log: Log
  /// Called while the hub cannot serve yet, with what keeps it from that, for the status that the service manager shows;
  /// nil when it goes on.
  package let onObstacle: (String?) -> Void
  /// Called once.
  package let onReady: (ClusterOutcome) -> Void
}

/// What has become of a hub that joins its cluster.
package enum ClusterOutcome: Equatable, Sendable {
  /// The journal was proved to belong to the log and has what was stored until then: the hub may serve.
  case ready
  /// The hub must not serve, for this reason, which also says what to do. It is not in the operator's log yet.
  case refused(String)
  /// The journal lacks entries that the log no longer has. The base of another node's journal has arrived in the state
  /// directory and was proved to belong to the log: the hub leaves, replaces its journal (`JournalTool.installBase`), and
  /// joins with that.
  case received
  /// The schema of the log has changed to that of the feature, or the hub could not change it: the hub leaves, opens its
  /// journal again, and joins with that.
  case reopens
}

/// The reasons why a hub cannot join the cluster of its configuration.
nonisolated enum ClusterError: Error, Equatable, CustomStringConvertible {
  case notSupported
  case needsJournal
  /// The reason, and this hub's part in the cluster.
  case refused(String, ClusterStatus)

  var description: String {
    switch self {
    case .notSupported: "this program cannot take part in a cluster: remove the section [cluster]"
    case .needsJournal: "a node of a cluster needs --state-dir, and --durability sync"
    case .refused(let reason, _): reason
    }
  }

  /// The line of the operator's log, and its details.
  var record: (text: String, Log.Details) {
    guard case .refused(let reason, let status) = self else { return (description, Log.Details()) }
    let text = "this node does not serve: \(reason)"
    return (text, Log.Details(.clusterRefused, status, reason: text))
  }
}

extension Log.Details {
  /// Creates the details of an event in a hub's part in its cluster.
  package nonisolated init(_ id: MessageID, _ status: ClusterStatus, reason: String) {
    self.init(
      id,
      [
        "NODE": status.node, "LEADER": status.leader, "TERM": "\(status.term)", "POSITION": "\(status.position)",
        "REASON": reason,
      ])
  }
}
