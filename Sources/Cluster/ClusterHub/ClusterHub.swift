public import StoreHub
public import TurnLog

/// Lets a hub take part in a cluster whose log is in etcd.
///
/// ```swift
/// import ClusterHub
/// import StoreHub
///
/// @main
/// struct KitchenHub: HubService {
///   static var cluster: (any ClusterSupport.Type)? { EtcdCluster.self }
///   …
/// }
/// ```
public nonisolated enum EtcdCluster: ClusterSupport {
  /// Joins the cluster: listens for the other nodes, and proves the journal.
  /// - Throws: A wrong certificate, an address in use, or a journal that is not a copy of a cluster's log.
  @MainActor public static func join(_ request: ClusterRequest) throws -> any ReplicatedLog {
    try ClusterNode(request)
  }
}
