/// A deliberate defect of the simulated shell of a cluster's node, to verify that the oracles find it.
package enum PlantedClusterBug: String, CaseIterable, Sendable {
  /// Transactions do not compare the key `leader`.
  case noComparisonWithTheLeader
  /// An outcome that is unknown is settled by a read: a node that still finds itself in `leader` takes it as a success.
  case unknownSettledByARead
  /// A node acknowledges actions when their entry arrives, before it has applied it.
  case acknowledgedBeforeApplied
  /// The leader removes entries that only its own journal has.
  case trimmedBeyondAMajority
  /// A node takes over when a lease has expired, whatever else it hears from the leader.
  case takeoverByLeaseOnly
  /// A transaction that removes entries does not check that the log goes on after them. Repeated in a restored store, it
  /// removes the whole log.
  case removedWithoutTheNext
  /// A node serves with the journal that it has, before it has copied what the log has beyond it.
  case servedBeforeCopied
  /// A node begins with the journal of another one without looking whether that ends at the place which the log has
  /// confirmed: it lacks what was not on the other's disk.
  case uncheckedBase
  /// A relay takes an entry without looking whether it continues its log.
  case relayedWithoutAChecksum
  /// A relay acknowledges the actions of an entry when that arrives, before it has applied it.
  case relayedAcknowledgement
  /// A node registers whatever its key has, also if it was removed.
  case registersInAnyCase
}
