internal import Glibc
public import TurnLog
public import Wire

/// Operations on a journal that no hub uses.
public enum JournalTool {
  /// The findings about a journal.
  public struct Report: Equatable, Sendable {
    /// The problems; empty if there are none.
    public var problems: [String] = []
    /// Remarks for the operator that are not damage, such as a missing `journal.tail`.
    public var notes: [String] = []
    /// The identity of the history, if it can be read.
    public var epoch: Epoch?
    /// The last revision that can be recovered; nil if none can.
    public var soundRevision: UInt64?
    /// The last revision that was stored, if it can be read.
    public var lastRevision: UInt64?
    /// The number of sound kept turns, from the oldest on, and the bytes of their actions and deltas.
    public var turns: UInt64 = 0, turnBytes: UInt64 = 0
    /// The first and the last position of those turns; nil if there are none.
    public var positions: ClosedRange<UInt64>?
    /// The revisions of the sound snapshots, oldest first.
    public var snapshots: [UInt64] = []
    /// The number of sound sessions.
    public var sessions = 0
    /// The number of effects with a declared restart that had not ended after the last sound turn.
    public var effects = 0
    /// The size of the files in bytes.
    public var fileBytes = 0

    /// The remedy, if no state can be recovered; nil if one can.
    public var remedy: String?
    /// The path to which a repair would copy the database; nil if it would complete an interrupted one.
    public var copy: String?

    /// True if there are no problems.
    public var isSound: Bool { problems.isEmpty }

    /// A predicate for the command that repairs the journal; nil if it is sound, cannot be repaired, or is half
    /// repaired.
    package var repairEffect: String? {
      guard !isSound, let soundRevision, let copy else { return nil }
      let discarded = JournalTool.revisions(after: soundRevision, to: lastRevision)
      return "copies the files to \(copy) and discards \(discarded)"
    }
  }

  /// The outcome of a repair.
  public struct Repair: Equatable, Sendable {
    /// The last revision of the repaired journal.
    public var revision: UInt64
    /// The last revision before the repair; nil if it is unknown.
    public var lastRevision: UInt64?
    /// The end of the turn that contains the requested revision, if the turn was discarded because it ends later.
    public var discardedTurnEnd: UInt64?
    /// The path of the copy of the original database.
    public var copy: String
    /// The paths of all copies that this repair has made.
    public var copies: [String]
    /// The identity of the new history. Clients receive snapshots, because revisions may have another meaning now.
    public var epoch: Epoch

    /// The discarded revisions, in words.
    package var discarded: String { JournalTool.revisions(after: revision, to: lastRevision) }
  }

  /// Describes the revisions after one.
  private static func revisions(after revision: UInt64, to last: UInt64?) -> String {
    guard let last else { return "all later revisions" }
    guard last > revision else { return "no revision" }
    return last == revision + 1 ? "revision \(last)" : "\(last - revision) revisions, \(revision + 1) to \(last)"
  }

  /// Reads everything in a journal. Nothing is changed.
  ///
  /// If the first page of the database is damaged, a copy with a restored page is read, and removed again.
  ///
  /// - Parameters:
  ///   - directory: A directory that no hub uses.
  ///   - readsStates: True to read also the states from the newest snapshot on, by the rules of a hub that starts.
  ///     Otherwise only the stored bytes are checked.
  ///   - schemas: The schemas of the program that wrote the journal, in place of damaged ones.
  /// - Throws: `inUse`; `storage` if the files cannot be read at all; `unknownFormat`.
  /// - Complexity: O(size of the files); to read states, also the memory of the newest one.
  public static func verify(
    _ directory: String, readsStates: Bool = false, schemas: [Schema] = []
  ) throws(LogError) -> Report {
    let directory = StateDirectory(path: directory, user: .tool)
    let lock = try directory.lockJournal()
    defer { lock.release() }
    if let head = try directory.interruptedRepair() {
      // The old files may contain less now than the repair keeps, or nothing.
      var report = Report(problems: [directory.interruptionOfRepair])
      (report.epoch, report.lastRevision, report.soundRevision) = (head.epoch, head.revision, head.revision)
      return report
    }
    let inspection = try Inspection.reading(
      directory, options: JournalOptions(), readsStates: readsStates, schemas: schemas)
    defer { inspection.close() }
    var report = Report(problems: inspection.problems, notes: inspection.notes)
    (report.epoch, report.lastRevision) = (inspection.head?.epoch, inspection.head?.revision)
    report.copy = directory.nextCopy
    report.soundRevision = inspection.soundRevision
    if inspection.soundRevision == nil { report.remedy = directory.remedy(lacksSchema: inspection.lacksSchema) }
    if let first = inspection.first {
      (report.turns, report.turnBytes) = (first.turnCount, first.byteCount)
      if first.turnCount > 0 { report.positions = first.position - first.turnCount + 1...first.position }
    }
    report.snapshots = inspection.snapshots.map(\.row.revision)
    (report.sessions, report.effects) = (inspection.sessions.count, inspection.effectsInFlight.count)
    report.fileBytes = StateDirectory.size(of: directory.database) + StateDirectory.size(of: directory.writeAheadLog)
    return report
  }
}
