internal import SQLite
public import TurnLog

extension JournalTool {
  /// Writes a journal as text: one JSON object per line, first the history, then each turn, then each session.
  ///
  /// Bytes are hexadecimal. Of a session's id, only the first eight digits are written, which do not suffice to resume
  /// it.
  ///
  /// - Parameters:
  ///   - directory: The directory of the journal.
  ///   - isReplayable: True to write all that a replay needs: also the state before the first turn, and the complete ids
  ///     of sessions, from which their random numbers follow.
  ///   - write: Called with each line.
  /// - Throws: `damaged` after writing the last sound turn; `inUse`, `storage`.
  public static func export(
    _ directory: String, isReplayable: Bool = false, to write: (String) -> Void
  ) throws(LogError) {
    var lines = try ExportedLines(directory, isReplayable: isReplayable)
    defer { lines.close() }
    while let line = try lines.next() { write(line) }
  }

  /// Does the same on another thread, and waits whenever `write` does.
  ///
  /// - Parameters:
  ///   - directory: The directory of the journal.
  ///   - isReplayable: True to write all that a replay needs.
  ///   - write: Called with lines of some 64 KiB; returns false to end.
  @concurrent public static func export(
    _ directory: String, isReplayable: Bool = false, to write: @Sendable ([String]) async -> Bool
  ) async throws(LogError) {
    var lines = try ExportedLines(directory, isReplayable: isReplayable)
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

  private let format: JSONLine
  private let path: StateDirectory
  private let lock: DirectoryLock
  private let inspection: Inspection
  private let head: Head
  private var cursor: TurnCursor
  private var part = Part.history

  init(_ directory: String, isReplayable: Bool) throws(LogError) {
    format = JSONLine(isReplayable: isReplayable)
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

  /// The oldest state, with which a replay begins; nil if it is not needed, or if no snapshot was ever saved.
  private func firstState() throws(LogError) -> (row: SnapshotRow, bytes: [UInt8])? {
    guard format.isReplayable, let row = inspection.snapshots.first?.row else { return nil }
    let database = inspection.database
    let contents = try path.attempt { () throws(SQLiteError) in try row.contents(from: database) }
    return contents.map { (row, $0.state) }
  }

  /// Returns the next line; nil after the last one.
  mutating func next() throws(LogError) -> String? {
    if case .history = part {
      part = .turns
      return "\(format.history(head.epoch, head, inspection.schemas, from: try firstState()))"
    }
    if case .turns = part {
      do throws(TurnCursor.Fault) {
        if let turn = try cursor.next() { return "\(format.turn(turn))" }
      } catch { throw error.logError(in: path, soundRevision: inspection.soundRevision) }
      part = .sessions(next: 0)
    }
    if case .sessions(let index) = part, index < inspection.sessions.count {
      part = .sessions(next: index + 1)
      return "\(format.session(inspection.sessions[index]))"
    }
    guard inspection.problems.isEmpty else {
      throw .damaged(inspection.problems.joined(separator: "; "), in: path, soundRevision: inspection.soundRevision)
    }
    return nil
  }
}
