internal import SQLite
internal import TurnLog

extension LogError {
  /// Describes an error of SQLite, the part of the journal that is sound, and what to do.
  ///
  /// - Parameter holder: The process that holds the lock for which an operation has waited, if it is known.
  init(
    _ error: SQLiteError, in directory: StateDirectory, soundRevision: UInt64? = nil, soundness: String? = nil,
    holder: LockHolder? = nil
  ) {
    let advice =
      switch error.cause {
      case .full: "make room on its disk, then \(directory.user.retry)"
      case .access:
        "let the hub's user write to \(directory.path), then \(directory.user.retry)"
      case .locked:
        "\(holder?.description ?? "another program") has a transaction open in it; end that, then \(directory.user.retry)"
      case .foreignRow:
        "another program has written to it while the hub used it; stop that program, then \(directory.wayOut)"
      case .damage:
        "check the disk, then \(directory.wayOut)"
      case .other: "check the disk and the kernel's log, then \(directory.user.retry)"
      }
    let text = "cannot \(error.operation) in \(directory.database): \(error.message) (SQLite \(error.code))"
    self.init(
      error.isDamage || error.isUnknownTable
        ? .damaged : error.isFull ? .full : error.isBusy || error.isForeignRow ? .inUse : .storage,
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
  ///
  /// - Parameter lacksSchema: True if a schema is damaged, which the program of the hub may know.
  static func lost(in directory: StateDirectory, lacksSchema: Bool) -> LogError {
    LogError(
      .damaged,
      """
      \(directory.database) is damaged: no state can be recovered from it, so it was not changed. \
      \(directory.remedy(lacksSchema: lacksSchema)); or, to begin a new history, move the files out of \(directory.path)
      """)
  }
}

extension StateDirectory {
  /// The advice for a damaged journal. It names storectl, which repairs the journal of any hub.
  fileprivate var wayOut: String { "run `storectl journal verify\(option)`, and restore a backup or run `\(repair)`" }

  /// The command that repairs this journal.
  var repair: String { "storectl journal repair\(option)" }

  /// The remedy for a journal from which this program recovers nothing.
  func remedy(lacksSchema: Bool) -> String {
    let schema =
      lacksSchema
      ? """
      The schema of the state is damaged; the program of the hub knows it, so run `storehubd --print-schema | \
      \(repair) --schema -`, with that program in place of storehubd. If that does not help, put
      """ : "Put"
    return "\(schema) a backup of journal.db into \(path), without journal.db-wal, journal.db-shm and journal.tail"
  }

  private var option: String { " --state-dir \(path)" }
}
