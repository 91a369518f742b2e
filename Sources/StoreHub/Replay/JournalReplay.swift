internal import FeatureCore
internal import HubCore
internal import Journal
internal import TurnLog
internal import Wire

/// Replays the actions of a journal through the reducer of this program. A hub may write the journal meanwhile.
struct JournalReplay {
  /// The figures of a replay.
  struct Summary {
    var actions: UInt64 = 0
    var turns: UInt64 = 0
    var differences = 0
    /// The revision before the first replayed turn, and the one after the last.
    var revisions: (first: UInt64, last: UInt64)?
    /// The number of turns before these that were written with another schema.
    var foreignTurns: UInt64 = 0
  }

  let directory: String
  /// The revision after which to begin; nil for the oldest snapshot.
  var from: UInt64?
  /// The last revision; nil for the end of the journal.
  var to: UInt64?
  /// True to go on after a difference.
  var findsAll = false

  /// The number of bytes of turns that are read at once.
  private static let batchBytes = 4 << 20

  /// Replays the turns.
  ///
  /// - Parameters:
  ///   - engine: The engine of this program's feature, which has not been used.
  ///   - onDifference: Called for each difference.
  ///   - onProgress: Called now and then with the number of turns that were read, and of all.
  /// - Throws: `LogError` if the journal cannot be read, `RecoveryError` if its state does not fit the feature.
  /// - Complexity: The cost of the actions and of their changes, and of reading the journal from the snapshot on.
  func run<State, Action>(
    _ engine: FeatureEngine<State, Action>, onDifference: (ReplayDifference) -> Void,
    onProgress: (_ done: UInt64, _ total: UInt64) -> Void
  ) throws -> Summary {
    let reader = try JournalReader(directory)
    let tail = try reader.extent().tail
    // Compared once, and not for each turn.
    let schemas = try reader.schemas().map { change in
      (first: change.firstPosition, schema: change.schema, isOwn: change.schema == engine.schema)
    }
    var (next, schema, isOwn) = (0, engine.schema, true)
    var summary = Summary()
    var recovery = Recovery(of: engine, versionLimit: 1)
    var replay = Replay(engine)
    var (position, isForeign): (UInt64, Bool) = (0, false)
    if let snapshot = try snapshot(of: reader) {
      try recovery.restore(
        snapshot: snapshot.bytes.span.bytes, writtenFor: snapshot.schema, at: snapshot.revision,
        position: snapshot.position)
      (position, isForeign) = (snapshot.position, snapshot.schema != engine.schema)
    }
    let start = position
    while position < tail {
      for turn in try reader.read(from: position + 1, byteLimit: Self.batchBytes) {
        if let to, turn.revision > to { return summary }
        position = turn.position
        while next < schemas.count, schemas[next].first <= position {
          (schema, isOwn) = (schemas[next].schema, schemas[next].isOwn)
          next += 1
        }
        // The turn after the last one of another schema converts the state, and has no actions.
        if !isOwn || isForeign || turn.baseRevision < from ?? 0 {
          guard summary.turns == 0 else { throw OtherSchema(revision: turn.revision) }
          isForeign = !isOwn
          if isForeign { summary.foreignTurns += 1 }
          try recovery.apply(turn, writtenFor: schema)
          continue
        }
        let difference = try replay.next(turn)
        summary.turns += 1
        summary.actions = replay.actionCount
        summary.revisions = (summary.revisions?.first ?? turn.baseRevision, turn.revision)
        guard let difference else { continue }
        summary.differences += 1
        onDifference(difference)
        if !findsAll { return summary }
      }
      onProgress(position - start, tail - start)
    }
    return summary
  }

  /// The nearest snapshot before the first revision, or the oldest one; nil if the journal is empty.
  private func snapshot(of reader: JournalReader) throws -> JournalHistory.Snapshot? {
    guard let from else {
      return try reader.snapshots().first.flatMap { try reader.snapshot(upTo: $0.position) }
    }
    guard let position = try reader.position(of: from) else {
      throw LogError(.trimmed, "revision \(from) is not kept any more; begin later")
    }
    return try reader.snapshot(upTo: position)
  }
}

/// A turn among the replayed ones was written with another schema, for example by an earlier version that was started
/// again.
struct OtherSchema: Error, CustomStringConvertible {
  let revision: UInt64

  var description: String {
    """
    revision \(revision) was written by a version with another schema; replay the parts before and after it, with --to \
    and --from
    """
  }
}
