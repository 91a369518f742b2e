internal import Glibc
public import TurnLog
internal import Wire

/// What can be done with a journal that no hub uses.
public enum JournalTool {
  /// What was found in a journal.
  public struct Report: Equatable, Sendable {
    /// What is wrong; empty if nothing is.
    public var problems: [String] = []
    /// The identity of the history, if it can be read.
    public var epoch: Epoch?
    /// The last revision that can be recovered; nil if none can.
    public var soundRevision: UInt64?
    /// The last revision that was stored, if it can be read.
    public var lastRevision: UInt64?
    /// The kept turns that are sound, from the oldest on, and the bytes of their actions and deltas.
    public var turns: UInt64 = 0, turnBytes: UInt64 = 0
    /// The first and the last position of those turns; nil if there are none.
    public var positions: ClosedRange<UInt64>?
    /// The revisions of the sound snapshots, oldest first.
    public var snapshots: [UInt64] = []
    /// How many sessions are sound.
    public var sessions = 0
    /// How large the files are, in bytes.
    public var fileBytes = 0

    /// Whether nothing is wrong.
    public var isSound: Bool { problems.isEmpty }
  }

  /// What a repair did.
  public struct Repair: Equatable, Sendable {
    /// The revision with which the journal ends now.
    public var revision: UInt64
    /// The copy of the database as it was.
    public var copy: String
    /// The identity of the new history: clients get snapshots, since revisions may mean something else now.
    public var epoch: Epoch
  }

  /// Reads everything in a journal. Nothing is changed.
  ///
  /// - Throws: `inUse`; `storage` if the files cannot be read at all; `unknownFormat`.
  /// - Complexity: O(size of the files).
  public static func verify(_ directory: String) throws(LogError) -> Report {
    let directory = StateDirectory(path: directory)
    let lock = try DirectoryLock(directory)
    defer { lock.release() }
    let inspection = try Inspection(directory, options: JournalOptions())
    defer { inspection.database.close() }
    var report = Report(problems: inspection.problems)
    (report.epoch, report.lastRevision) = (inspection.head?.epoch, inspection.head?.revision)
    report.soundRevision = inspection.soundRevision
    if let first = inspection.first {
      (report.turns, report.turnBytes) = (first.turnCount, first.byteCount)
      if first.turnCount > 0 { report.positions = first.position - first.turnCount + 1...first.position }
    }
    report.snapshots = inspection.snapshots.map(\.row.revision)
    report.sessions = inspection.sessions.count
    report.fileBytes = StateDirectory.size(of: directory.database) + StateDirectory.size(of: directory.writeAheadLog)
    return report
  }

  /// Writes a journal as text: one JSON object per line, first the history, then each turn, then each session.
  ///
  /// Bytes are hexadecimal. Of a session's id there are the first eight digits, with which nobody can resume it.
  /// - Throws: `damaged` behind the last sound turn, when those before are written; `inUse`, `storage`.
  public static func export(_ directory: String, to write: (String) -> Void) throws(LogError) {
    let path = StateDirectory(path: directory)
    let lock = try DirectoryLock(path)
    defer { lock.release() }
    let inspection = try Inspection(path, options: JournalOptions())
    defer { inspection.database.close() }
    guard let head = inspection.head else {
      throw .damaged(inspection.problems.joined(separator: "; "), in: path, soundRevision: inspection.soundRevision)
    }
    write(JSONLine.history(head.epoch, head.revision, inspection.schemas))
    var cursor = try path.attempt { () throws(SQLiteError) in
      try TurnCursor(inspection.database, behind: head.base)
    }
    do throws(TurnCursor.Fault) {
      while let turn = try cursor.next() { write(JSONLine.turn(turn)) }
    } catch { throw error.logError(in: path, soundRevision: inspection.soundRevision) }
    for row in inspection.sessions { write(JSONLine.session(row)) }
    guard inspection.problems.isEmpty else {
      throw .damaged(inspection.problems.joined(separator: "; "), in: path, soundRevision: inspection.soundRevision)
    }
  }
}
