/// The statistics of the simulation of a cluster.
package struct ClusterReport: Statistics, Equatable, Sendable {
  /// Actions that clients have sent.
  package var sent = 0
  /// Actions that clients know to be applied.
  package var acknowledged = 0
  /// Entries of the log, of those the first of a term, and those with a turn in parts.
  package var entries = 0
  package var terms = 0
  package var largeTurns = 0
  /// Transactions, and those of which a node got no answer.
  package var transactions = 0
  package var unknown = 0
  /// Transactions that the store refused because it was full.
  package var full = 0
  /// Times at which turns were discarded.
  package var discards = 0
  package var trims = 0
  package var compactions = 0
  package var snapshots = 0
  package var transfers = 0
  package var crashes = 0
  package var pauses = 0
  package var disksLost = 0
  /// Times at which a machine with the name of another one was started.
  package var twins = 0
  package var outages = 0
  package var storeCuts = 0
  package var linkCuts = 0
  /// Links that have ended because nothing arrived over them.
  package var silentLinks = 0
  package var restorations = 0
  package var upgrades = 0
  /// Nodes that stood by and began again with the log of their own schema.
  package var conversions = 0
  /// Times at which a node stopped serving.
  package var refusals = 0
  /// Times at which the operator has removed a node.
  package var removals = 0
  /// Effects that ran while a stopped process had not ended its own.
  package var overlaps = 0
  /// Messages that nodes have received over links.
  package var messages = 0
  /// Entries that relays have received, times at which one followed another node than before, and entries that a faulty
  /// node has changed.
  package var relayed = 0
  package var upstreamChanges = 0
  package var forged = 0
  /// The simulated time in seconds.
  package var virtualSeconds = 0
  /// The number of events in the trace.
  package var events = 0
  /// The hash of the trace.
  package var hash: UInt64 = 0

  /// Creates an empty report.
  package init() {}

  /// The counts with their names.
  package static var fields: [(String, WritableKeyPath<Self, Int>)] {
    [
      ("actions sent", \.sent), ("acknowledged", \.acknowledged), ("entries", \.entries), ("terms", \.terms),
      ("large turns", \.largeTurns), ("transactions", \.transactions), ("unknown", \.unknown), ("full", \.full),
      ("discards", \.discards), ("trims", \.trims), ("compactions", \.compactions), ("snapshots", \.snapshots),
      ("transfers", \.transfers), ("crashes", \.crashes), ("pauses", \.pauses), ("disks lost", \.disksLost),
      ("twins", \.twins), ("quorum lost", \.outages),
      ("store cuts", \.storeCuts), ("link cuts", \.linkCuts),
      ("silent links", \.silentLinks), ("restorations", \.restorations),
      ("upgrades", \.upgrades), ("conversions", \.conversions), ("refusals", \.refusals), ("removals", \.removals),
      ("overlaps", \.overlaps),
      ("messages", \.messages), ("relayed", \.relayed), ("upstream changes", \.upstreamChanges),
      ("forged", \.forged),
      ("simulated seconds", \.virtualSeconds),
    ]
  }
}
