internal import SQLite
internal import Wire

/// The single row of `place`: bytes of the program that appends turns, which state where in another log the turns end.
///
/// They are stored in the same commit as the turns. Only journals of hubs in a cluster have the table.
struct PlaceRow {
  private let statement: Statement

  /// Creates the table if there is none, within a transaction.
  init(_ database: Database) throws(SQLiteError) {
    try database.run(
      """
      CREATE TABLE IF NOT EXISTS place (
        id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL, checksum INTEGER NOT NULL
      ) STRICT
      """, for: "create the table place")
    statement = try database.prepare(
      "INSERT OR REPLACE INTO place (id, bytes, checksum) VALUES (1, ?, ?)", for: "store the place in the other log")
  }

  /// Writes the row.
  func store(_ bytes: [UInt8]) throws(SQLiteError) {
    statement.bind(1, copying: bytes)
    statement.bind(2, bits: Checksum.of(bytes.span.bytes))
    try statement.run()
  }

  /// Reads the row; nil if there is none.
  static func load(from database: Database) throws(SQLiteError) -> [UInt8]? {
    let tables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'place'"
    guard try database.run(tables, for: "look for the table place") == 1 else { return nil }
    let row = try database.first("SELECT bytes, checksum FROM place WHERE id = 1", for: "read the place") {
      (bytes: $0.bytes(0), checksum: $0.bits(1))
    }
    // Without it, the program that needs it refuses the journal.
    guard let row, Checksum.of(row.bytes.span.bytes) == row.checksum else { return nil }
    return row.bytes
  }
}
