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
  /// The schema of the turns.
  package let schema: SchemaFingerprint
  /// The copy of the log on this machine, the position of its last turn, and the place where that is in the log.
  package let journal: Journal
  package let tail: UInt64
  package let place: [UInt8]?
  package let loop: EventLoop
  package let log: Log
  /// Called once: with nil when the journal was proved to belong to the log and has what was stored until then, so that
  /// the hub may serve, otherwise with the reason why it must not.
  package let onReady: (String?) -> Void
}

/// The reasons why a hub cannot join the cluster of its configuration.
nonisolated enum ClusterError: Error, Equatable, CustomStringConvertible {
  case notSupported
  case needsJournal
  case refused(String)

  var description: String {
    switch self {
    case .notSupported: "this program cannot take part in a cluster: remove the section [cluster]"
    case .needsJournal: "a node of a cluster needs --state-dir, and --durability sync"
    case .refused(let reason): reason
    }
  }
}
