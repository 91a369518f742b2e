internal import SQLite
internal import TurnLog
internal import Wire

/// A row of `snapshots`.
struct SnapshotRow: Equatable {
  let id: Int64
  let position: UInt64
  let revision: UInt64
  /// The time of the turn at the position.
  var time: Int64 = 0
  /// The checksum of the turn at the position, which ties the snapshot to its history.
  var turnChecksum: UInt64 = 0
  var fingerprint: [UInt8] = []
  var pieceCount: Int64 = 0
  /// The size of the state. The pieces may have more bytes: the encoded effects in flight.
  var byteCount: Int64 = 0
  /// The checksum of the last piece, which covers those before.
  var hash: UInt64
  var isComplete = false

  init(id: Int64, position: UInt64, revision: UInt64) {
    (self.id, self.position, self.revision) = (id, position, revision)
    hash = Checksum.of(words: [UInt64(bitPattern: id), position, revision])
  }

  /// The checksum of the row.
  var checksum: UInt64 {
    Checksum.of(words: [
      UInt64(bitPattern: id), position, revision, UInt64(bitPattern: time), turnChecksum,
      Checksum.of(fingerprint.span.bytes), UInt64(bitPattern: pieceCount), UInt64(bitPattern: byteCount), hash,
      isComplete ? 1 : 0,
    ])
  }

  /// The limit of pieces per snapshot: the ids of its rows in `pieces` begin at `id << 24`.
  static let pieceLimit: Int64 = 1 << 24
  /// The ids of snapshots, whose pieces have ids too. Any other row is damaged.
  static let ids: Range<Int64> = 1..<1 << 38
  /// The positions and the revisions of snapshots. Any other row is damaged.
  private static let numbers = 0..<UInt64(Int64.max)

  /// The rows of the snapshots, oldest first; of damaged ones only the ids.
  static func load(from database: Database) throws(SQLiteError) -> (sound: [SnapshotRow], damaged: [Int64]) {
    var (sound, damaged): ([SnapshotRow], [Int64]) = ([], [])
    try database.with(
      """
      SELECT id, position, revision, time_ms, turn_checksum, fingerprint, pieces, bytes, hash, complete, checksum
      FROM snapshots ORDER BY id
      """, for: "read the list of snapshots"
    ) { statement throws(SQLiteError) in
      while try statement.step() {
        var row = SnapshotRow(id: statement.integer(0), position: statement.bits(1), revision: statement.bits(2))
        (row.time, row.turnChecksum) = (statement.integer(3), statement.bits(4))
        (row.fingerprint, row.pieceCount) = (statement.bytes(5), statement.integer(6))
        (row.byteCount, row.hash) = (statement.integer(7), statement.bits(8))
        row.isComplete = statement.integer(9) != 0
        if row.checksum == statement.bits(10), ids.contains(row.id), numbers.contains(row.position),
          numbers.contains(row.revision)
        {
          sound.append(row)
        } else {
          damaged.append(row.id)
        }
      }
    }
    return (sound, damaged)
  }

  /// The bytes of the snapshot's state, and its effects in flight; nil if they do not match the checksum.
  func contents(from database: Database) throws(SQLiteError) -> (state: [UInt8], effects: EffectsInFlight)? {
    var result: [UInt8] = []
    var (last, number) = (SnapshotRow(id: id, position: position, revision: revision).hash, Int64(0))
    let areSound = try database.with(
      "SELECT id, bytes, checksum FROM pieces WHERE id >= ? AND id < ? ORDER BY id", for: "read a snapshot"
    ) { statement throws(SQLiteError) in
      statement.bind(1, id << 24)
      statement.bind(2, (id + 1) << 24)
      while try statement.step() {
        let checksum = statement.withBytes(1) { bytes in
          result.append(contentsOf: bytes)
          return Checksum.of(bytes.bytes, seed: last)
        }
        guard checksum == statement.bits(2), statement.integer(0) == id << 24 + number else { return false }
        (last, number) = (checksum, number + 1)
      }
      return true
    }
    guard areSound, last == hash, number == pieceCount, let size = Int(exactly: byteCount), 0...result.count ~= size
    else { return nil }
    guard result.count > size else { return (result, EffectsInFlight()) }
    guard let effects = try? EffectsInFlight(decoding: Array(result[size...]).span.bytes) else { return nil }
    result.removeSubrange(size...)
    return (result, effects)
  }
}

/// The statements that write snapshots.
struct SnapshotStatements {
  private let head: Statement
  private let piece: Statement
  private let headRemoval: Statement
  private let pieceRemoval: Statement

  init(_ database: Database) throws(SQLiteError) {
    head = try database.prepare(
      """
      INSERT OR REPLACE INTO snapshots
        (id, position, revision, time_ms, turn_checksum, fingerprint, pieces, bytes, hash, complete, checksum)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, for: "store a snapshot")
    piece = try database.prepare(
      "INSERT INTO pieces (id, bytes, checksum) VALUES (?, ?, ?)", for: "store a piece of a snapshot")
    headRemoval = try database.prepare("DELETE FROM snapshots WHERE id = ?", for: "remove a snapshot")
    pieceRemoval = try database.prepare(
      "DELETE FROM pieces WHERE id IN (SELECT id FROM pieces WHERE id >= ? AND id < ? ORDER BY id LIMIT ?) RETURNING 1",
      for: "remove pieces of a snapshot")
  }

  /// Writes the row of a snapshot.
  func store(_ row: SnapshotRow) throws(SQLiteError) {
    head.bind(1, row.id)
    head.bind(2, bits: row.position)
    head.bind(3, bits: row.revision)
    head.bind(4, row.time)
    head.bind(5, bits: row.turnChecksum)
    head.bind(6, copying: row.fingerprint)
    head.bind(7, row.pieceCount)
    head.bind(8, row.byteCount)
    head.bind(9, bits: row.hash)
    head.bind(10, row.isComplete ? 1 : 0)
    head.bind(11, bits: row.checksum)
    try head.run()
  }

  /// Writes the next piece of a snapshot's state.
  func append(_ bytes: [UInt8], to row: inout SnapshotRow) throws(SQLiteError) {
    try storePiece(bytes, of: &row)
    row.byteCount += Int64(bytes.count)
  }

  /// Writes the effects in flight after all pieces of the state, if there are any.
  func append(_ effects: EffectsInFlight, to row: inout SnapshotRow) throws(SQLiteError) {
    if !effects.isEmpty { try storePieces(effects.encoded()[...], of: &row) }
  }

  private func storePieces(_ bytes: ArraySlice<UInt8>, of row: inout SnapshotRow) throws(SQLiteError) {
    let pieceBytes = JournalOptions().pieceBytes
    var left = bytes
    while !left.isEmpty {
      try storePiece(Array(left.prefix(pieceBytes)), of: &row)
      left = left.dropFirst(pieceBytes)
    }
  }

  private func storePiece(_ bytes: [UInt8], of row: inout SnapshotRow) throws(SQLiteError) {
    let checksum = Checksum.of(bytes.span.bytes, seed: row.hash)
    let id = row.id << 24 + row.pieceCount
    try bytes.span.bytes.withUnsafeBytes { bytes throws(SQLiteError) in
      piece.bind(1, id)
      piece.bind(2, unowned: bytes)
      piece.bind(3, bits: checksum)
      try piece.run()
    }
    row.hash = checksum
    row.pieceCount += 1
  }

  /// Writes a whole snapshot: its pieces, and the row that makes it valid.
  func store(
    _ state: [UInt8], _ effects: EffectsInFlight = EffectsInFlight(), as row: inout SnapshotRow
  ) throws(SQLiteError) {
    try storePieces(state[...], of: &row)
    row.byteCount = Int64(state.count)
    try append(effects, to: &row)
    row.isComplete = true
    try store(row)
  }

  /// Removes the row of a snapshot, so that it is no longer found.
  func remove(_ id: Int64) throws(SQLiteError) {
    headRemoval.bind(1, id)
    try headRemoval.run()
  }

  /// Removes some of the pieces of a snapshot; returns false if none are left.
  func removePieces(of id: Int64, limit: Int64) throws(SQLiteError) -> Bool {
    guard SnapshotRow.ids.contains(id) else { return false }
    pieceRemoval.bind(1, id << 24)
    pieceRemoval.bind(2, (id + 1) << 24)
    pieceRemoval.bind(3, limit)
    defer { pieceRemoval.reset() }
    var count: Int64 = 0
    while try pieceRemoval.step() { count += 1 }
    return count == limit
  }
}
