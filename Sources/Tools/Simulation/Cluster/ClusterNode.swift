import ClusterCore
import ClusterLog
internal import RandomNumbers
import Wire

/// A machine with a hub of the cluster: its disk, and its process while it runs.
final class ClusterNode {
  let name: NodeName
  let index: Int
  let clock: SkewedClock
  var disk = Disk()
  /// True for a machine that is set up with the name of another one.
  let isTwin: Bool
  /// The nodes that a relay may follow; empty for a member.
  let upstreams: [NodeName]
  /// True while the machine is in operation.
  var isOn: Bool
  /// The version of the feature: 1 or 2.
  var version = 1
  /// Nil while the process does not run.
  var process: Process?
  /// The number of processes so far. Events of earlier ones are dropped.
  var incarnation = 0
  var pausedUntil: Int64 = -1
  /// No request reaches the store, and no answer or event comes from it.
  var isCutToStore = false
  var isCutFromStore = false
  var cutUntil: Int64 = 0

  init(_ name: NodeName, _ index: Int, _ clock: SkewedClock, isTwin: Bool = false, upstreams: [NodeName] = []) {
    (self.name, self.index, self.clock, self.upstreams) = (name, index, clock, upstreams)
    (self.isTwin, isOn) = (isTwin, !isTwin)
  }

  var isRelay: Bool { !upstreams.isEmpty }

  /// The journal.
  struct Disk {
    var history: LogHistory?
    /// The state at the beginning of the journal.
    var base = ClusterModel()
    var basePoint = LogPoint.start
    var baseEntry: EncodedEntry?
    /// The schema of that state: for an empty journal, that of the first version that has opened it; nil before.
    var baseSchema: SchemaFingerprint?
    var entries: [(entry: EncodedEntry, turns: [[UInt8]])] = []
    /// The number of entries that survive a crash.
    var syncedCount = 0

    var syncedPosition: UInt64 { basePoint.position + UInt64(syncedCount) }
    var syncedChecksum: UInt64 {
      syncedCount > 0 ? entries[syncedCount - 1].entry.checksum : basePoint.checksum
    }

    var isEmpty: Bool { entries.isEmpty && baseEntry == nil }

    /// The schema of the state at the end: that of the last turn.
    var schema: SchemaFingerprint? { entries.last { !$0.turns.isEmpty }?.entry.entry.schema ?? baseSchema }

    /// The journal and the state after a start.
    func recovered() throws -> (ClusterCore.Journal, ClusterModel) {
      var (point, model, last) = (basePoint, base, baseEntry)
      for (entry, turns) in entries {
        point.advance(to: entry)
        last = entry
        for turn in turns { try model.apply(turn: turn) }
      }
      // A journal has the name of the log together with the last entry.
      return (ClusterCore.Journal(history: last == nil ? nil : history, point: point, last: last), model)
    }

    /// What another node gets: the journal as far as it is on disk, by its place and its state. Nil if it is empty, or if
    /// its state is not converted to the schema of its last entry yet, which the other one would refuse.
    func synced() throws -> (JournalPlace, ClusterModel)? {
      var (point, model, last, schema) = (basePoint, base, baseEntry, baseSchema)
      for (entry, turns) in entries.prefix(syncedCount) {
        point.advance(to: entry)
        last = entry
        if !turns.isEmpty { schema = entry.entry.schema }
        for turn in turns { try model.apply(turn: turn) }
      }
      guard let history, let last, schema == nil || schema == last.entry.schema else { return nil }
      return (JournalPlace(history: history, last: last, turn: point.turn), model)
    }
  }

  final class Process {
    var core: ClusterCore
    /// The state after the last stored turn, and with the turns that are not stored.
    var model: ClusterModel
    var unstored: ClusterModel
    /// The checksum of the last entry of the journal.
    var checksum: UInt64
    /// The turns that were passed to the core, oldest first.
    var turns: [[UInt8]] = []
    /// The term whose effects run.
    var effects: UInt64?
    /// The bytes of the snapshots that have arrived, by their encoded places. Two may have the same position.
    var arrived: [[UInt8]: [UInt8]] = [:]
    var watchesFrom: UInt64?
    /// The end of the log when the process has last proved its journal.
    var provenPosition: UInt64 = 0
    /// The end of the log at each revision of a proof. One that is executed twice counts when the process learns of it.
    var proofs: [UInt64: UInt64] = [:]
    /// Requests without an answer, with the store to which they were sent.
    var requests: Set<UInt64> = []
    var wakesAt: Int64?
    var isSyncing = false
    /// True once the log has the schema for which the node stood by: it begins again from its journal.
    var reopens = false

    init(_ core: consuming ClusterCore, _ model: ClusterModel) {
      checksum = core.point.checksum
      self.core = core
      (self.model, unstored) = (model, model)
    }
  }

  func isPaused(at now: Int64) -> Bool { now <= pausedUntil }

  /// True if the node serves clients.
  var serves: Bool {
    guard let process, !process.core.options.standsBy else { return false }
    return switch process.core.standing {
    case .starting, .refused: false
    case .current, .waiting, .storeFull: true
    }
  }
}

/// A clock that is wrong by an offset and runs at another speed.
struct SkewedClock {
  let offset: Int64
  /// In millionths.
  let skew: Int64

  func local(_ now: Int64) -> Duration { .microseconds(offset + now + now * skew / 1_000_000) }

  /// A true time at which the clock shows at least this.
  func global(_ time: Duration) -> Int64 {
    let (seconds, attoseconds) = time.components
    let local = seconds * 1_000_000 + attoseconds / 1_000_000_000_000 - offset
    return local * 1_000_000 / (1_000_000 + skew) + 2
  }
}

/// A program that uses the hub of its machine.
final class ClusterClient {
  let node: ClusterNode
  var session: ClusterSession
  /// The last action that was sent, and the last one that is known to be applied.
  var sent: UInt64 = 0
  var acknowledged: UInt64 = 0
  /// The actions after the acknowledged ones.
  var actions: [[UInt8]] = []
  var isConnected = false
  /// The history in which the session was opened; nil before the log's first entry.
  var history: LogHistory?

  init(_ node: ClusterNode, _ session: ClusterSession) { (self.node, self.session) = (node, session) }
}
