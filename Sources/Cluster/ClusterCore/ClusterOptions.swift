package import ClusterLog
package import Wire

/// The settings of a node.
package struct ClusterOptions: Sendable {
  /// The node's name.
  package var node: NodeName
  /// A random number of the process, which is not 0.
  package var process: UInt64
  /// All nodes of the cluster.
  package var members: Set<NodeName>
  /// The schemas whose turns the process can apply; the last one is that of the turns that it writes. There is more than
  /// one while the node stands by to change the schema of the log: when it leads.
  package var schemas: [SchemaFingerprint]
  /// The schema of the turns that the process writes.
  package var ownSchema: SchemaFingerprint { schemas[schemas.count - 1] }
  /// How long a follower waits for a sign of the leader before it takes over.
  package var takeoverAfter = Duration.seconds(1)
  /// How much longer a node waits that stands by to change the schema: another node can keep it.
  package var standByWait: Duration { standsBy ? takeoverAfter * 4 : .zero }
  /// True if the node would change the schema of the log by leading.
  package var standsBy: Bool { schemas.count > 1 }
  /// The leader shows at least this often that it lives.
  package var beatInterval = Duration.milliseconds(250)
  /// A leader cancels its effects when its last beat or append that succeeded was sent this long ago.
  package var effectsEnd = Duration.milliseconds(1500)
  /// A new leader starts effects when the last beat or entry of the previous one was seen this long ago. The difference
  /// to `effectsEnd` bounds how much faster one clock may be.
  package var effectsStart = Duration.seconds(2)
  /// A follower reads the log when its watch was silent for so long, because events may be missing.
  package var pollInterval = Duration.milliseconds(500)
  /// The time between attempts after an error, such as a full store.
  package var retryInterval = Duration.milliseconds(250)
  /// The nodes that a relay may follow, in the order of preference; empty for a member, which has the store.
  package var upstreams: [NodeName]
  /// The relays that may follow this node.
  package var relays: Set<NodeName> = []
  /// The bytes of entries that are kept in memory for relays, and those that are sent ahead of a relay's journal.
  package var relayBytes = 4 << 20
  /// A relay goes back to a node that it prefers when that has been current for so long.
  package var returnTime = Duration.seconds(5)
  /// The greatest number of bytes of an entry.
  package var entryBytes = LogEntry.byteLimit
  /// The number of bytes of stored entries that are kept for nodes that were away.
  package var keptBytes = 256 << 20
  /// The number of bytes of entries that one transaction removes at least.
  package var trimStepBytes = 4 << 20
  /// True if the node compacts the store now and then while it leads, and at once while the store is full: the store then
  /// keeps no old values of other programs either.
  package var compacts = true
  /// The leader's writes and their bytes after which it compacts. What is older than the last compaction remains until
  /// then for watches that are late.
  package var compactedWrites: UInt64 = 4096
  package var compactedBytes = 64 << 20
  /// The time between two looks for another process of the same node.
  package var registrationInterval = Duration.seconds(2)
  /// How long a node waits for the first piece of a snapshot, and between pieces, before it asks another node. The time
  /// doubles with each request.
  package var snapshotWait = Duration.seconds(1)
  /// How long a node may prepare a snapshot before another one is asked. The time doubles with each request as well, so
  /// that a large copy on a slow disk is waited for in the end.
  package var snapshotPreparation = Duration.seconds(60)

  /// Creates settings with the default times.
  /// - Precondition: There is at least one schema, and the node is a member or a relay, which follows others.
  package init(
    node: NodeName, process: UInt64, members: Set<NodeName>, upstreams: [NodeName] = [], schemas: [SchemaFingerprint]
  ) {
    precondition(
      !schemas.isEmpty && members.contains(node) == upstreams.isEmpty,
      "a node without a schema, or outside of its cluster")
    precondition(process > 0, "0 is the number of no process")
    (self.node, self.process, self.members, self.schemas) = (node, process, members, schemas)
    self.upstreams = upstreams
  }
}
