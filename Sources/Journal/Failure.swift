internal import CSQLite
internal import TurnLog

extension LogError {
  /// Describes an error of SQLite, the part of the journal that is sound, and what to do.
  init(_ error: SQLiteError, in directory: StateDirectory, soundRevision: UInt64? = nil, soundness: String? = nil) {
    let advice =
      switch error.code & 0xff {
      case SQLITE_FULL: "make room on its disk, then start the hub again"
      case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
        "let the hub's user write to \(directory.path), then start the hub again"
      case SQLITE_BUSY, SQLITE_LOCKED: "end the other program that writes to it, then start the hub again"
      case SQLITE_CORRUPT, SQLITE_NOTADB:
        "check the disk, then run 'storehubd journal verify' and restore a backup or run 'storehubd journal repair'"
      default: "check the disk and the kernel's log, then start the hub again"
      }
    let text = "cannot \(error.operation) in \(directory.database): \(error.message) (SQLite \(error.code))"
    self.init(
      error.isDamage ? .damaged : error.isFull ? .full : .storage,
      [text, soundness, advice].compactMap(\.self).joined(separator: "; "),
      soundRevision: soundRevision)
  }

  /// Describes the damage of a journal, the part that is sound, and what to do.
  static func damaged(_ what: String, in directory: StateDirectory, soundRevision: UInt64?) -> LogError {
    let soundness = soundRevision.map { "It is sound up to revision \($0). " } ?? ""
    return LogError(
      .damaged,
      """
      \(directory.database) is damaged: \(what). \(soundness)Check the disk, then restore a backup, or run \
      'storehubd journal verify' and 'storehubd journal repair'
      """, soundRevision: soundRevision)
  }
}
