internal import CSQLite
internal import TurnLog

extension LogError {
  /// Describes an error of SQLite, the part of the journal that is sound, and what to do.
  init(_ error: SQLiteError, in directory: StateDirectory, soundRevision: UInt64? = nil, soundness: String? = nil) {
    let advice =
      switch error.code & 0xff {
      case SQLITE_FULL: "make room on its disk, then \(directory.user.retry)"
      case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
        "let the hub's user write to \(directory.path), then \(directory.user.retry)"
      case SQLITE_BUSY, SQLITE_LOCKED: "end the other program that writes to it, then \(directory.user.retry)"
      case SQLITE_CORRUPT, SQLITE_NOTADB:
        "check the disk, then \(directory.wayOut)"
      default: "check the disk and the kernel's log, then \(directory.user.retry)"
      }
    let text = "cannot \(error.operation) in \(directory.database): \(error.message) (SQLite \(error.code))"
    self.init(
      error.isDamage ? .damaged : error.isFull ? .full : .storage,
      [text, soundness, advice].compactMap(\.self).joined(separator: "; "),
      soundRevision: soundRevision)
  }

  /// Describes the damage of a journal, the part that is sound, and what to do.
  ///
  /// - Parameters:
  ///   - soundRevision: The last revision that was read and is sound.
  ///   - lastRevision: The last revision according to the head, if its turns were not read.
  static func damaged(
    _ what: String, in directory: StateDirectory, soundRevision: UInt64? = nil, lastRevision: UInt64? = nil
  ) -> LogError {
    let soundness =
      soundRevision.map { "It is sound up to revision \($0). " }
      ?? lastRevision.map { "It is sound up to revision \($0) at most. " } ?? ""
    return LogError(
      .damaged,
      "\(directory.database) is damaged: \(what). \(soundness)Check the disk, then \(directory.wayOut)",
      soundRevision: soundRevision ?? lastRevision)
  }

  /// Describes a journal of which a repair has nothing to keep.
  static func lost(in directory: StateDirectory) -> LogError {
    LogError(
      .damaged,
      """
      \(directory.database) is damaged: no state can be recovered from it, so it was not changed. Restore a backup; or, \
      to begin a new history, move the files out of \(directory.path)
      """)
  }
}

extension StateDirectory {
  /// The advice for a damaged journal. It names storectl, which repairs the journal of any hub.
  fileprivate var wayOut: String { "run `storectl journal verify\(option)`, and restore a backup or run `\(repair)`" }

  /// The command that repairs this journal.
  var repair: String { "storectl journal repair\(option)" }

  private var option: String { " --state-dir \(path)" }
}
