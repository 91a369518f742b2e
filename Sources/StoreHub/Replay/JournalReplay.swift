internal import FeatureCore
internal import HubCore
internal import TurnLog
internal import Wire

/// Replays the actions of a journal, or of an exported one, through the reducer of this program.
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

  /// The turns.
  var source: any ReplaySource
  /// The revision after which to begin; nil for the oldest snapshot.
  var from: UInt64?
  /// The last revision; nil for the end of the journal.
  var to: UInt64?
  /// True to go on after a difference.
  var findsAll = false

  /// Replays the turns.
  ///
  /// - Parameters:
  ///   - engine: The engine of this program's feature, which has not been used.
  ///   - onDifference: Called for each difference.
  ///   - onProgress: Called now and then with the number of turns that were read, and of all, which is 0 if it is not
  ///     known.
  /// - Throws: `LogError` or `ExportError` if the journal cannot be read, `RecoveryError` if its state does not fit the
  ///   feature, `NothingReplayed` if it has no turn to compare.
  /// - Complexity: The cost of the actions and of their changes, and of reading the journal from the snapshot on.
  mutating func run<State, Action>(
    _ engine: FeatureEngine<State, Action>, onDifference: (ReplayDifference) -> Void,
    onProgress: (_ done: UInt64, _ total: UInt64) -> Void
  ) throws -> Summary {
    // Compared once, and not for each turn.
    let schemas =
      source.schemas.map { ($0.first, $0.schema, $0.schema == engine.schema) }
      as [(first: UInt64, schema: Schema, isOwn: Bool)]
    var (next, schema, isOwn) = (0, engine.schema, true)
    var summary = Summary()
    var recovery = Recovery(of: engine, versionLimit: 1)
    var replay = Replay(engine)
    var (position, isForeign): (UInt64, Bool) = (0, false)
    if let state = try source.state(upTo: from) {
      try recovery.restore(
        snapshot: state.bytes.span.bytes, writtenFor: state.schema, at: state.revision, position: state.position)
      (position, isForeign) = (state.position, state.schema != engine.schema)
    }
    let start = position
    while true {
      let turns = try source.turns(after: position)
      if turns.isEmpty {
        try Self.check(summary)
        if let from, from > engine.revision { throw NothingReplayed.end(from: from, last: engine.revision) }
        return summary
      }
      for turn in turns {
        if let to, turn.revision > to {
          try Self.check(summary)
          guard summary.turns > 0 else { throw NothingReplayed.beginning(to: to, first: turn.revision) }
          return summary
        }
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
      onProgress(position - start, max(source.tail ?? 0, start) - start)
    }
  }

  /// A check that has compared nothing must not look like one that has found nothing.
  private static func check(_ summary: Summary) throws(NothingReplayed) {
    if summary.turns == 0, summary.foreignTurns > 0 { throw .otherSchema }
  }
}

/// The journal has no turn that a replay could compare.
enum NothingReplayed: Error, Equatable, CustomStringConvertible {
  /// All turns were written with another schema.
  case otherSchema
  /// The journal ends before the revision after which to begin.
  case end(from: UInt64, last: UInt64)
  /// The journal's first turn that could be compared is after the revision with which to end.
  case beginning(to: UInt64, first: UInt64)

  var description: String {
    switch self {
    case .otherSchema:
      """
      nothing was replayed: all turns were written with another schema; replay them with a version of the program that \
      has it, or take a new copy of the journal
      """
    case .end(let from, let last):
      "nothing was replayed: the journal ends with revision \(last), before revision \(from) of --from"
    case .beginning(let to, let first):
      "nothing was replayed: the first turn that can be compared ends with revision \(first), after \(to) of --to"
    }
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
