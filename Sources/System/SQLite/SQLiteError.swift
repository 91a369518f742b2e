internal import CSQLite

/// An operation that SQLite refused.
package struct SQLiteError: Error {
  /// The extended result code.
  package let code: Int32
  /// The purpose of the operation.
  package let operation: String
  /// SQLite's message.
  package let message: String

  /// True if the file's contents are wrong, and not merely unreadable.
  package var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xff) }
  /// True if a statement does not fit the tables of the file.
  package var isUnknownTable: Bool { code & 0xff == SQLITE_ERROR }
  /// True if another connection holds a lock.
  package var isBusy: Bool { code & 0xff == SQLITE_BUSY }
  /// True if a row is there already that only this process adds.
  package var isForeignRow: Bool { code & 0xff == SQLITE_CONSTRAINT }
  /// True if the disk is full.
  package var isFull: Bool { code & 0xff == SQLITE_FULL }

  /// What its user can do about it.
  package enum Cause {
    /// The disk is full.
    case full
    /// The user may not read or write the file.
    case access
    /// Another connection holds a lock.
    case locked
    /// Another program has written to the file.
    case foreignRow
    /// The contents of the file are wrong, or its tables.
    case damage
    /// Everything else, such as an error of the disk.
    case other
  }

  /// The cause, by the result code.
  package var cause: Cause {
    switch code & 0xff {
    case SQLITE_FULL: .full
    case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .access
    case SQLITE_BUSY, SQLITE_LOCKED: .locked
    case SQLITE_CONSTRAINT: .foreignRow
    // A statement that does not fit the tables.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR: .damage
    default: .other
    }
  }

  package init(code: Int32, operation: String, message: String) {
    (self.code, self.operation, self.message) = (code, operation, message)
  }

  /// An error of a file whose contents are not those that its writer has stored.
  package static func malformed(_ what: String, _ operation: String) -> SQLiteError {
    SQLiteError(code: SQLITE_CORRUPT, operation: operation, message: what)
  }
}
