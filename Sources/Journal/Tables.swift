internal import SQLite

/// The tables of a journal, which docs/DURABILITY.md describes.
enum Tables {
  /// Marks the file as a journal (PRAGMA application_id): "SHjl".
  static let application: Int64 = 0x5348_6a6c
  /// The version of the tables (PRAGMA user_version).
  static let version: Int64 = 6
  /// The version without `session_position`: each transaction wrote the sessions that it changed.
  static let firstVersion: Int64 = 1
  /// The versions that this program reads; it writes the last one. Versions 2 to 6 have the same tables.
  /// Before version 6 every transaction wrote the head, in version 4 the senders of actions are sessions only, the
  /// versions before have no effects, and in version 2 each record of a session in a turn is complete.
  static let readableVersions = firstVersion...version
  /// The numbers that this or a later program may have written. Versions are counted, so a larger number is damage.
  static let possibleVersions: ClosedRange<Int64> = 0...100

  /// The statements that create the tables, by name.
  static let definitions: KeyValuePairs = [
    "meta": """
    CREATE TABLE meta (
      id INTEGER PRIMARY KEY CHECK (id = 1), epoch BLOB NOT NULL, created_ms INTEGER NOT NULL,
      clean INTEGER NOT NULL,
      base_position INTEGER NOT NULL, base_total INTEGER NOT NULL, base_checksum INTEGER NOT NULL,
      tail_position INTEGER NOT NULL, tail_revision INTEGER NOT NULL, tail_time_ms INTEGER NOT NULL,
      tail_total INTEGER NOT NULL, tail_checksum INTEGER NOT NULL,
      schema_count INTEGER NOT NULL, schema_checksum INTEGER NOT NULL,
      session_count INTEGER NOT NULL, session_sum INTEGER NOT NULL, session_position INTEGER NOT NULL,
      snapshot INTEGER NOT NULL, checksum INTEGER NOT NULL
    ) STRICT
    """,
    "schemas": """
    CREATE TABLE schemas (
      number INTEGER PRIMARY KEY, first_position INTEGER NOT NULL, fingerprint BLOB NOT NULL, schema BLOB NOT NULL,
      checksum INTEGER NOT NULL
    ) STRICT
    """,
    "turns": """
    CREATE TABLE turns (
      position INTEGER PRIMARY KEY, base_revision INTEGER NOT NULL, revision INTEGER NOT NULL,
      time_ms INTEGER NOT NULL, total INTEGER NOT NULL, actions BLOB NOT NULL, delta BLOB NOT NULL,
      sessions BLOB NOT NULL, checksum INTEGER NOT NULL
    ) STRICT
    """,
    "sessions": """
    CREATE TABLE sessions (
      id BLOB PRIMARY KEY, user INTEGER NOT NULL, process INTEGER NOT NULL, name TEXT NOT NULL,
      processed INTEGER NOT NULL, rejections BLOB NOT NULL, position INTEGER NOT NULL, revision INTEGER NOT NULL,
      time_ms INTEGER NOT NULL, checksum INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    "snapshots": """
    CREATE TABLE snapshots (
      id INTEGER PRIMARY KEY, position INTEGER NOT NULL, revision INTEGER NOT NULL, time_ms INTEGER NOT NULL,
      turn_checksum INTEGER NOT NULL, fingerprint BLOB NOT NULL, pieces INTEGER NOT NULL, bytes INTEGER NOT NULL,
      hash INTEGER NOT NULL, complete INTEGER NOT NULL, checksum INTEGER NOT NULL
    ) STRICT
    """,
    "pieces": """
    CREATE TABLE pieces (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT
    """,
  ]

  /// Creates all tables or a single one, within a transaction.
  static func create(in database: Database, only name: String? = nil) throws(SQLiteError) {
    try database.run("PRAGMA application_id = \(application)", for: "create the tables")
    try database.run("PRAGMA user_version = \(version)", for: "create the tables")
    for (table, sql) in definitions where name == nil || table == name {
      try database.run(sql, for: "create the tables")
    }
  }

  /// The statement that created a table of a version.
  static func definition(of name: String, _ sql: String, version: Int64) -> String {
    guard name == "meta", version == firstVersion else { return sql }
    return sql.replacing(" session_position INTEGER NOT NULL,", with: "")
  }
}
