internal import SQLite
internal import Wire

/// The rows of `schemas`: each schema with its first turn.
struct SchemaRows {
  struct Row {
    var firstPosition: UInt64
    var fingerprint: SchemaFingerprint
    var schema: Schema
  }

  private(set) var rows: [Row] = []
  /// The checksum of the last row, which covers those before.
  private(set) var checksum: UInt64 = 0
  /// The first turn of the row that follows, if its schema does not match its fingerprint. The checksum covers the
  /// position and the schema together, so the position cannot be checked; it is taken to be sound.
  private var damagedPosition: UInt64?

  /// True if these are the rows that a head counts.
  func isComplete(for head: Head) -> Bool { UInt64(rows.count) == head.schemaCount && checksum == head.schemaChecksum }

  /// The last turn whose schema is certain; nil if that of every turn is.
  func certainEnd(for head: Head) -> UInt64? {
    guard !isComplete(for: head) else { return nil }
    guard let last = rows.last else { return 0 }
    // Two schemas may have the same first turn: the earlier one is then that of a snapshot only.
    let next = damagedPosition.flatMap { $0 >= last.firstPosition && $0 <= head.tail.position &+ 1 ? $0 : nil }
    return (next ?? last.firstPosition) - 1
  }

  /// The schema of the turn at a position.
  func index(at position: UInt64) -> Int? { rows.lastIndex { $0.firstPosition <= position } }

  /// The rows of a database, up to the first damaged one.
  static func load(from database: Database) throws(SQLiteError) -> SchemaRows {
    var result = SchemaRows()
    try database.with(
      "SELECT number, first_position, fingerprint, schema, checksum FROM schemas ORDER BY number",
      for: "read the schemas"
    ) { statement throws(SQLiteError) in while try statement.step(), result.add(statement) {} }
    return result
  }

  /// Adds the current row of the statement above; returns false if it is damaged.
  private mutating func add(_ row: Statement) -> Bool {
    let bytes = row.bytes(3)
    guard row.integer(0) == rows.count + 1 else { return false }
    guard let schema = try? Schema(decoding: bytes.span.bytes), row.bytes(2) == schema.fingerprint.bytes else {
      damagedPosition = row.bits(1)
      return false
    }
    guard row.bits(4) == nextChecksum(at: row.bits(1), bytes), row.bits(1) > 0 else { return false }
    checksum = row.bits(4)
    rows.append(Row(firstPosition: row.bits(1), fingerprint: schema.fingerprint, schema: schema))
    return true
  }

  /// Adds a row, unless the schema is in force already.
  mutating func append(_ schema: Schema, at position: UInt64, to database: Database) throws(SQLiteError) {
    let fingerprint = schema.fingerprint
    guard rows.last?.fingerprint != fingerprint else { return }
    let bytes = schema.encoded()
    checksum = nextChecksum(at: position, bytes)
    rows.append(Row(firstPosition: position, fingerprint: fingerprint, schema: schema))
    try database.with(
      "INSERT INTO schemas (number, first_position, fingerprint, schema, checksum) VALUES (?, ?, ?, ?, ?)",
      for: "store a schema"
    ) { statement throws(SQLiteError) in
      statement.bind(1, Int64(rows.count))
      statement.bind(2, bits: position)
      statement.bind(3, copying: fingerprint.bytes)
      statement.bind(4, copying: bytes)
      statement.bind(5, bits: checksum)
      try statement.run()
    }
  }

  /// Adds a row that is stored already, or should be.
  mutating func add(_ schema: Schema, at position: UInt64) {
    checksum = nextChecksum(at: position, schema.encoded())
    rows.append(Row(firstPosition: position, fingerprint: schema.fingerprint, schema: schema))
  }

  private func nextChecksum(at position: UInt64, _ schema: [UInt8]) -> UInt64 {
    Checksum.of(words: [checksum, UInt64(rows.count + 1), position, Checksum.of(schema.span.bytes)])
  }
}
