internal import CSQLite

/// A prepared statement.
package struct Statement {
  private let pointer: OpaquePointer
  private let database: Database
  private let operation: String

  init(_ pointer: OpaquePointer, of database: Database, for operation: String) {
    (self.pointer, self.database, self.operation) = (pointer, database, operation)
  }

  /// Binds a number to a parameter; the first one is 1.
  package func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(pointer, index, value) }

  /// Binds NULL.
  package func bindNull(_ index: Int32) { sqlite3_bind_null(pointer, index) }

  /// Binds the bits of an unsigned number, since SQLite has signed ones only.
  package func bind(_ index: Int32, bits value: UInt64) { bind(index, Int64(bitPattern: value)) }

  /// Binds bytes that remain valid until the last step of the statement.
  package func bind(_ index: Int32, unowned bytes: UnsafeRawBufferPointer) {
    // A null pointer would be NULL and not an empty blob.
    guard let start = bytes.baseAddress, bytes.count > 0 else { return _ = sqlite3_bind_zeroblob(pointer, index, 0) }
    sqlite3_bind_blob64(pointer, index, start, UInt64(bytes.count), nil)
  }

  /// Binds a copy of bytes.
  package func bind(_ index: Int32, copying bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, bytes.count > 0 else { return _ = sqlite3_bind_zeroblob(pointer, index, 0) }
      sqlite3_bind_blob64(pointer, index, start, UInt64(bytes.count), transient)
    }
  }

  /// Binds a copy of a text.
  package func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        // An empty text has no address, and a null pointer would be NULL.
        guard let start = bytes.baseAddress else { return _ = sqlite3_bind_text(pointer, index, "", 0, transient) }
        sqlite3_bind_text(pointer, index, start, Int32(bytes.count), transient)
      }
    }
  }

  /// Moves to the next row; returns false after the last one.
  package func step() throws(SQLiteError) -> Bool {
    let result = sqlite3_step(pointer)
    switch result {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let error = database.error(result, operation)
      sqlite3_reset(pointer)
      throw error
    }
  }

  /// Runs a statement without rows, and resets it.
  package func run() throws(SQLiteError) {
    while try step() {}
    reset()
  }

  /// Resets the statement for the next use.
  package func reset() { sqlite3_reset(pointer) }

  /// An integer of the current row; the first column is 0.
  package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

  /// The bits of an integer of the current row.
  package func bits(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

  /// True if a column of the current row is NULL.
  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(pointer, column) == SQLITE_NULL }

  /// A text of the current row.
  package func text(_ column: Int32) -> String {
    String(decoding: withBytes(column) { [UInt8]($0) }, as: UTF8.self)
  }

  /// A copy of bytes of the current row.
  package func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { [UInt8]($0) } }

  /// The bytes of the current row; SQLite owns them until the next step.
  package func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let start = sqlite3_column_blob(pointer, column)
    return body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column))))
  }
}

/// SQLITE_TRANSIENT, a macro that Swift cannot import: SQLite copies the bytes.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
