internal import SQLite
public import TurnLog

extension JournalTool {
  /// Writes a journal as text: one JSON object per line, first the history, then each turn, then each session.
  ///
  /// Bytes are hexadecimal. Of a session's id, only the first eight digits are written, which do not suffice to resume
  /// it.
  /// - Throws: `damaged` after writing the last sound turn; `inUse`, `storage`.
  public static func export(_ directory: String, to write: (String) -> Void) throws(LogError) {
    var lines = try ExportedLines(directory)
    defer { lines.close() }
    while let line = try lines.next() { write(line) }
  }

  /// Does the same on another thread, and waits whenever `write` does.
  ///
  /// - Parameters:
  ///   - directory: The directory of the journal.
  ///   - write: Called with lines of some 64 KiB; returns false to end.
  @concurrent public static func export(
    _ directory: String, to write: @Sendable ([String]) async -> Bool
  ) async throws(LogError) {
    var lines = try ExportedLines(directory)
    defer { lines.close() }
    var (batch, size): ([String], Int) = ([], 0)
    var failure: LogError?
    while failure == nil {
      do throws(LogError) {
        guard let line = try lines.next() else { break }
        batch.append(line)
        size += line.utf8.count
      } catch { failure = error }
      guard size >= 64 << 10 else { continue }
      guard await write(batch) else { return }
      (batch, size) = ([], 0)
    }
    guard await write(batch) else { return }
    if let failure { throw failure }
  }
}

/// The lines of an exported journal.
private struct ExportedLines {
  private enum Part {
    case history, turns, sessions(next: Int)
  }

  private let path: StateDirectory
  private let lock: DirectoryLock
  private let inspection: Inspection
  private let head: Head
  private var cursor: TurnCursor
  private var part = Part.history

  init(_ directory: String) throws(LogError) {
    path = StateDirectory(path: directory, user: .tool)
    lock = try path.lockJournal()
    inspection = try Inspection.reading(path, options: JournalOptions())
    guard let head = inspection.head else {
      throw .damaged(inspection.problems.joined(separator: "; "), in: path, soundRevision: inspection.soundRevision)
    }
    self.head = head
    let database = inspection.database
    cursor = try path.attempt { () throws(SQLiteError) in try TurnCursor(database, after: head.base) }
  }

  /// Closes and unlocks the journal.
  func close() {
    inspection.close()
    lock.release()
  }

  /// Returns the next line; nil after the last one.
  mutating func next() throws(LogError) -> String? {
    if case .history = part {
      part = .turns
      return "\(JSONLine.history(head.epoch, head.revision, inspection.schemas))"
    }
    if case .turns = part {
      do throws(TurnCursor.Fault) {
        if let turn = try cursor.next() { return "\(JSONLine.turn(turn))" }
      } catch { throw error.logError(in: path, soundRevision: inspection.soundRevision) }
      part = .sessions(next: 0)
    }
    if case .sessions(let index) = part, index < inspection.sessions.count {
      part = .sessions(next: index + 1)
      return "\(JSONLine.session(inspection.sessions[index]))"
    }
    guard inspection.problems.isEmpty else {
      throw .damaged(inspection.problems.joined(separator: "; "), in: path, soundRevision: inspection.soundRevision)
    }
    return nil
  }
}
