internal import SQLite
package import TurnLog
package import Wire

/// The end of a journal, and the place in another log at which it ends.
package struct JournalEnding: Equatable, Sendable {
  /// The last turn.
  package let turn: UInt64
  /// The revision and the time after it.
  package let revision: UInt64
  /// In milliseconds since 1970.
  package let time: Int64
  /// The checksum of all turns.
  package let checksum: UInt64
  /// The schema of the state; nil if the journal is empty.
  package let schema: SchemaFingerprint?
  /// The place; nil for a journal of one machine.
  package let place: [UInt8]?
}

extension JournalReader {
  /// Returns the end of the journal, as of one commit.
  package func ending() throws(LogError) -> JournalEnding {
    _ = try directory.attempt { () throws(SQLiteError) in try database.run("BEGIN", for: "read the end of the journal")
    }
    defer { _ = try? database.run("COMMIT", for: "read the end of the journal") }
    let head = try loadHead()
    let (schemas, place) = try directory.attempt { () throws(SQLiteError) in
      (try SchemaRows.load(from: database), try PlaceRow.load(from: database))
    }
    return JournalEnding(
      turn: head.tail.position, revision: head.revision, time: head.time, checksum: head.tail.checksum,
      schema: schemas.rows.last?.fingerprint, place: place)
  }
}

extension JournalTool {
  /// Stores the place in another log at which a journal ends, which no hub uses.
  ///
  /// - Parameters:
  ///   - path: The state directory.
  ///   - place: The place.
  ///   - turn: The last turn, for which the place is.
  /// - Throws: `inUse`; `storage` if the journal was not closed in order, or has another last turn.
  package static func setPlace(_ path: String, to place: [UInt8], after turn: UInt64) throws(LogError) {
    let directory = StateDirectory(path: path, user: .tool)
    let lock = try directory.lockJournal()
    defer { lock.release() }
    let isStored = try directory.attempt { () throws(SQLiteError) -> Bool in
      let database = try Database(directory.database, vfs: nil)
      defer { database.close() }
      guard let head = try HeadStatement(database).load(), head.isClean, head.tail.position == turn else {
        return false
      }
      // The file is synced with the commit, which a loss of power must not undo.
      try database.run("PRAGMA synchronous = FULL", for: "set synchronous")
      try PlaceRow(database).store(place)
      return true
    }
    guard isStored else {
      throw LogError(
        .storage, "the journal in \(path) was not closed in order: start and stop its hub once, and try again")
    }
  }
}
