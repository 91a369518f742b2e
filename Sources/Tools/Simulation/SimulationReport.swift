/// The statistics of a simulation.
package struct SimulationReport: Statistics, Equatable, Sendable {
  /// The number of steps.
  package var steps = 0
  /// Clients' actions, whether or not they were accepted locally.
  package var sent = 0
  /// Clients' actions that took effect, including those lost with a hub.
  package var applied = 0
  /// Clients' actions that the hub does not have, or that the client may not send.
  package var withoutEffect = 0
  /// Actions of effects that took effect.
  package var echoes = 0
  /// Rejected actions.
  package var rejected = 0
  /// Actions whose outcome their clients will never learn.
  package var unknown = 0
  /// Actions that were not sent before the client gave up.
  package var notSent = 0
  /// Actions that clients refused locally.
  package var refusedLocally = 0
  /// Clients' actions that insert a deleted todo again.
  package var restorations = 0
  /// Windows of collections that were attached or moved.
  package var windows = 0
  /// Views that clients have attached.
  package var views = 0
  /// Effects that their clients have cancelled.
  package var cancellations = 0
  /// Changes that the outboxes of clients have stored.
  package var stores = 0
  /// Messages to clients whose effects the hub holds no more.
  package var releases = 0
  /// Established connections.
  package var connections = 0
  /// Sessions that were resumed.
  package var resumptions = 0
  /// Connections that were cut for both sides.
  package var cuts = 0
  /// Connections that were cut on one side only.
  package var halfOpen = 0
  /// Streams whose client's direction was closed.
  package var halfCloses = 0
  /// Periods in which a client did not read.
  package var stuckReaders = 0
  /// Hubs that crashed.
  package var hubCrashes = 0
  /// Hubs that were stopped cleanly.
  package var hubStops = 0
  /// Hubs that were replaced by another process, which took over the connections.
  package var hubRestarts = 0
  /// Connections that continued in another process after a restart.
  package var handedOver = 0
  /// Connections that continued in another process after a crash.
  package var keptAtRest = 0
  /// Hubs whose log another hub has continued.
  package var overtakings = 0
  /// Logs that reported a conflict.
  package var conflicts = 0
  /// Connections that ended with a goodbye, because the next process had another schema.
  package var goodbyes = 0
  /// Hubs that were replaced by a newer version.
  package var upgrades = 0
  /// Starts that have migrated the state of the older version.
  package var migrations = 0
  /// Hubs that were replaced by an older version.
  package var downgrades = 0
  /// Clients that crashed.
  package var clientCrashes = 0
  /// Clients that crashed and continued their sessions.
  package var clientRestarts = 0
  /// Turns of contended hubs that did only a piece of their work.
  package var contendedTurns = 0
  /// Times at which a user had to wait because of its rate.
  package var throttlings = 0
  /// Actions that would have made the state too large.
  package var statesTooLarge = 0
  /// Actions after which the state could not have been read back.
  package var unreadable = 0
  /// Changes of the shared model that clients have sent.
  package var sharedChanges = 0
  /// Changes of the guests' rights.
  package var policyChanges = 0
  /// Actions that a user was not permitted to send.
  package var forbidden = 0
  /// Connections that were closed because too many bytes were held for their user.
  package var tooManyBytes = 0
  /// Jumps of the machine's clock.
  package var clockJumps = 0
  /// Logs that failed.
  package var logFailures = 0
  /// Turns that hubs passed to their logs.
  package var turns = 0
  /// Snapshots that were saved.
  package var snapshots = 0
  /// Recoveries that began with a snapshot.
  package var snapshotRecoveries = 0
  /// Turns that were applied in recoveries.
  package var turnsRecovered = 0
  /// Frames that hubs wrote.
  package var frames = 0
  /// Effects that sent an action or ended.
  package var effects = 0
  /// Effects of an earlier hub that were restarted.
  package var restarts = 0
  /// Actions of effects that waited until the log was no longer behind.
  package var postponed = 0
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
      ("steps", \.steps), ("actions sent", \.sent), ("applied", \.applied), ("echoes", \.echoes),
      ("without effect", \.withoutEffect),
      ("rejected", \.rejected),
      ("outcome unknown", \.unknown), ("not sent", \.notSent), ("not kept", \.refusedLocally),
      ("restorations", \.restorations), ("windows", \.windows), ("views", \.views),
      ("cancelled", \.cancellations), ("stored by clients", \.stores), ("released", \.releases),
      ("connections", \.connections),
      ("resumed", \.resumptions), ("cuts", \.cuts), ("half open", \.halfOpen), ("half closes", \.halfCloses),
      ("stuck readers", \.stuckReaders), ("hub crashes", \.hubCrashes), ("hub stops", \.hubStops),
      ("hub restarts", \.hubRestarts), ("handed over", \.handedOver), ("kept at rest", \.keptAtRest),
      ("overtaken hubs", \.overtakings), ("conflicts", \.conflicts), ("upgrades", \.upgrades),
      ("migrations", \.migrations), ("goodbyes", \.goodbyes), ("downgrades", \.downgrades),
      ("client crashes", \.clientCrashes),
      ("client restarts", \.clientRestarts), ("contended turns", \.contendedTurns), ("throttlings", \.throttlings),
      ("states too large", \.statesTooLarge), ("unreadable", \.unreadable), ("shared changes", \.sharedChanges),
      ("policy changes", \.policyChanges),
      ("forbidden", \.forbidden),
      ("too many bytes", \.tooManyBytes), ("clock jumps", \.clockJumps), ("log failures", \.logFailures),
      ("turns logged", \.turns), ("snapshots", \.snapshots), ("recoveries from one", \.snapshotRecoveries),
      ("turns recovered", \.turnsRecovered), ("frames", \.frames), ("effects", \.effects), ("restarted", \.restarts),
      ("postponed", \.postponed),
      ("simulated seconds", \.virtualSeconds),
    ]
  }
}
