internal import SQLite
internal import Wire

extension SchemaRows {
  /// A row, whether it is sound or not.
  private struct StoredRow {
    var position: UInt64
    var fingerprint: [UInt8]
    var schema: Schema?
  }

  /// The most rows that are restored, and the most that are tried in their places. A journal that another node has sent
  /// may have any number.
  private static let (rowLimit, attemptLimit): (UInt64, Int) = (1 << 10, 1 << 14)

  /// Restores the rows of a database of which some are damaged.
  ///
  /// A schema can be read if its own bytes are sound, and is known to the program that wrote the journal. The head has
  /// the checksum of the last row, which covers all rows, so that a wrong one is noticed.
  ///
  /// - Parameters:
  ///   - head: The sound head.
  ///   - known: The schemas of the program.
  /// - Returns: All rows; nil if they cannot be restored.
  static func restored(
    from database: Database, _ head: Head, known: [Schema]
  ) throws(SQLiteError) -> SchemaRows? {
    guard head.schemaCount > 0, head.schemaCount <= rowLimit else { return nil }
    var stored: [Int64: StoredRow] = [:]
    do throws(SQLiteError) {
      try database.with(
        "SELECT number, first_position, fingerprint, schema FROM schemas", for: "read the schemas"
      ) { statement throws(SQLiteError) in
        while try statement.step() {
          let bytes = statement.bytes(3)
          stored[statement.integer(0)] = StoredRow(
            position: statement.bits(1), fingerprint: statement.bytes(2),
            schema: try? Schema(decoding: bytes.span.bytes))
        }
      }
    } catch { guard error.isDamage || error.isUnknownTable else { throw error } }
    // The numbers may be damaged too; a single row is the first one.
    if head.schemaCount == 1, stored[1] == nil, let only = stored.values.first { stored[1] = only }
    var attempts = attemptLimit
    return completed(SchemaRows(), stored, head, known, &attempts)
  }

  /// Adds the missing rows, of which each may be one of several.
  private static func completed(
    _ rows: SchemaRows, _ stored: [Int64: StoredRow], _ head: Head, _ known: [Schema], _ attempts: inout Int
  ) -> SchemaRows? {
    let number = Int64(rows.rows.count) + 1
    guard number <= Int64(head.schemaCount) else { return rows.isComplete(for: head) ? rows : nil }
    let row = stored[number]
    let named = known.filter { $0.fingerprint.bytes == row?.fingerprint }
    let schemas = [row?.schema].compactMap(\.self) + named + (number == Int64(head.schemaCount) ? known : [])
    // The first schema is that of the first turn.
    let positions = [row?.position, number == 1 && row?.position != 1 ? 1 : nil].compactMap(\.self)
    var tried: Set<[UInt8]> = []
    for schema in schemas where tried.insert(schema.encoded()).inserted {
      for position in positions {
        guard attempts > 0 else { return nil }
        attempts -= 1
        var next = rows
        next.add(schema, at: position)
        if let result = completed(next, stored, head, known, &attempts) { return result }
      }
    }
    return nil
  }
}
