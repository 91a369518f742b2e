internal import RandomNumbers

/// The faults in a simulation and their frequencies: chances in a thousand for each step, unless stated otherwise.
///
/// `init(drawnFrom:)` draws them, so that one seed has many cuts and another a slow disk. Each may be changed
/// afterwards.
package struct SimulatedFaults: Sendable {
  // MARK: Network

  /// The longest time that bytes are in transit.
  package var longestDelay = Duration.milliseconds(5)
  /// The bytes that a socket accepts before the writer must wait for the reader.
  package var socketBytes = 64 << 10
  /// A connection is cut: both sides notice immediately, and bytes in transit are lost.
  package var cut = 5
  /// A connection is cut on the client's side only. Bytes that the client has written may still arrive, even after
  /// those on its next connection, and the hub notices nothing.
  package var clientSideCut = 3
  /// A connection is cut on the hub's side only: the client receives nothing more and notices nothing.
  package var hubSideCut = 2
  /// A client closes its direction of the stream and continues reading.
  package var halfClose = 2
  /// A client stops reading for up to 3 seconds.
  package var stuckReader = 5
  /// Deliveries of a few bytes at a time, of all deliveries.
  package var partialDelivery = 300

  // MARK: Processes

  /// The hub's process crashes, and turns that its log has not stored may be lost.
  package var hubCrash = 2
  /// The hub's process is stopped cleanly.
  package var hubStop = 1
  /// The hub's process is replaced by another one, which takes over the connections.
  package var hubRestart = 1
  /// The hub's shell records the connections at rest, which survive a crash; of all turns, in sync mode.
  package var restingRecord = 300
  /// The hub's process halts for up to 3 seconds, while another hub continues its log. It then finds that its next turn
  /// conflicts with one of the other hub. Only in sync mode.
  package var overtaking = 1
  /// The next hub has a newer version of the feature, of all starts.
  package var upgrade = 200
  /// The next hub has the older version again, of all starts after an upgrade.
  package var downgrade = 0
  /// A client's process crashes, and another one starts without knowledge of its session.
  package var clientCrash = 2
  /// A client's process crashes, and another one continues with its session and its unacknowledged actions, which were
  /// on disk, but without its state.
  package var clientRestart = 2
  /// A client sends a frame of actions twice; of all such frames.
  package var repeatedActions = 20
  /// A client ends its session, and another one starts.
  package var clientLeaves = 1
  /// Nothing happens for up to 15 seconds, so that timeouts expire.
  package var pause = 5

  // MARK: Log

  /// A commit of the log, of all steps in which turns wait for one; lower values mean a slower disk.
  package var commit = 500
  /// The log can store nothing more, so the hub must stop.
  package var logFailure = 1
  /// A snapshot cannot be saved; of all snapshots.
  package var snapshotFailure = 100
  /// Turns of an incomplete commit are stored nevertheless; of all crashes.
  package var unsyncedSurvives = 300
  /// The log trims turns that a snapshot includes; of all snapshots.
  package var trim = 500

  /// The usual faults.
  package init() {}

  /// No faults: bytes arrive immediately, the log stores immediately, and nothing crashes.
  package static var none: SimulatedFaults {
    var faults = SimulatedFaults()
    (faults.longestDelay, faults.socketBytes) = (.zero, 1 << 20)
    (faults.cut, faults.clientSideCut, faults.hubSideCut, faults.halfClose) = (0, 0, 0, 0)
    (faults.stuckReader, faults.partialDelivery, faults.hubCrash, faults.hubStop) = (0, 0, 0, 0)
    (faults.upgrade, faults.downgrade) = (0, 0)
    (faults.clientCrash, faults.clientLeaves, faults.pause) = (0, 0, 0)
    (faults.clientRestart, faults.repeatedActions) = (0, 0)
    (faults.hubRestart, faults.restingRecord, faults.overtaking) = (0, 0, 0)
    (faults.commit, faults.logFailure, faults.snapshotFailure, faults.unsyncedSurvives) = (1000, 0, 0, 0)
    faults.trim = 0
    return faults
  }

  init(drawnFrom chance: inout SplitMix) {
    self.init()
    longestDelay = chance.pick([.zero, .milliseconds(1), .milliseconds(20), .milliseconds(500)])
    socketBytes = chance.pick([64, 1 << 10, 16 << 10, 256 << 10])
    cut = chance.pick([0, 3, 15, 40])
    clientSideCut = chance.pick([0, 3, 15])
    hubSideCut = chance.pick([0, 3, 10])
    halfClose = chance.pick([0, 3, 10])
    stuckReader = chance.pick([0, 5, 30])
    partialDelivery = chance.pick([0, 100, 600])
    hubCrash = chance.pick([0, 2, 5, 15])
    hubStop = chance.pick([0, 1, 5])
    clientCrash = chance.pick([0, 2, 10])
    clientLeaves = chance.pick([0, 0, 5])
    clientRestart = chance.pick([0, 2, 10])
    repeatedActions = chance.pick([0, 20, 200])
    pause = chance.pick([1, 5, 20])
    commit = chance.pick([20, 100, 500, 1000])
    logFailure = chance.pick([0, 0, 1, 4])
    snapshotFailure = chance.pick([0, 100, 500])
    unsyncedSurvives = chance.pick([0, 300, 1000])
    trim = chance.pick([0, 500, 1000])
  }

  /// Draws the faults that pass connections or the log to another process.
  mutating func drawSuccessions(from chance: inout SplitMix) {
    hubRestart = chance.pick([0, 1, 5, 15])
    restingRecord = chance.pick([0, 100, 1000])
    overtaking = chance.pick([0, 0, 2, 10])
  }

  /// Removes the faults that pass connections or the log to another process.
  package mutating func removeSuccessions() { (hubRestart, restingRecord, overtaking) = (0, 0, 0) }
}
