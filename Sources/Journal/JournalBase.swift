internal import Glibc
internal import SQLite
package import TurnLog
internal import Wire

/// A copy of all that a hub needs to go on from the end of a journal: the newest snapshot, the turns after it, the
/// sessions, the schemas, and the place in another log.
///
/// It is a database that has the form of a journal whose older turns were removed, in a file without a name. The copy has
/// an epoch of its own, as any copy of a journal. It can be used by several threads.
package final class JournalBase: Sendable {
  /// The greatest number of bytes of a piece.
  package static let pieceBytes = 64 << 10

  /// The number of bytes.
  package let byteCount: UInt64
  /// The checksum of all pieces, each with that of those before as its seed.
  package let checksum: UInt64
  /// The place in another log at which the turns end.
  package let place: [UInt8]
  private let descriptor: CInt
  /// The bytes that a copy leaves free on the disk, for the turns that are stored meanwhile.
  private static let reserve = 64 << 20

  /// Copies the base of a journal, which another thread may write meanwhile. The journal is read in one transaction.
  ///
  /// - Throws: `storage` if the journal has no place in another log or no snapshot; `full`.
  init(of directory: StateDirectory, _ options: JournalOptions) throws(LogError) {
    let file = directory.givenDatabase
    directory.removeGivenDatabase()
    try Self.checkRoom(in: directory)
    try StateDirectory.createEmpty(file)
    defer { directory.removeGivenDatabase() }
    place = try directory.attempt { () throws(SQLiteError) in try Self.copy(directory, to: file, options) }
    guard let opened = try StateDirectory.open(file, O_RDONLY) else { throw .system("open", file, ENOENT) }
    descriptor = opened
    byteCount = UInt64(StateDirectory.size(of: file))
    var (offset, sum): (UInt64, UInt64) = (0, 0)
    while offset < byteCount {
      guard let piece = Self.read(opened, at: offset), !piece.isEmpty else {
        let code = errno
        close(opened)
        throw .system("read", file, code)
      }
      sum = Checksum.of(piece.span.bytes, seed: sum)
      offset += UInt64(piece.count)
    }
    checksum = sum
  }

  deinit { close(descriptor) }

  /// Throws if a copy of the whole journal could fill the disk, because the hub that writes the journal would end then.
  private static func checkRoom(in directory: StateDirectory) throws(LogError) {
    var disk = statvfs()
    guard statvfs(directory.path, &disk) == 0 else { throw .system("look at the disk of", directory.path) }
    let free = UInt64(disk.f_bavail) * UInt64(disk.f_frsize)
    let files = [directory.database, directory.writeAheadLog].reduce(0) { $0 + StateDirectory.size(of: $1) }
    guard free >= UInt64(files + reserve) else {
      throw LogError(
        .full,
        """
        the disk of \(directory.path) has room for \(free >> 20) MiB, and a copy of the journal takes up to \
        \(files >> 20) MiB; \(reserve >> 20) MiB stay free
        """)
    }
  }

  /// The piece that begins at an offset, which is a multiple of the size of pieces; nil if it cannot be read.
  package func piece(at offset: UInt64) -> [UInt8]? { Self.read(descriptor, at: offset) }

  private static func read(_ descriptor: CInt, at offset: UInt64) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: pieceBytes)
    var count = 0
    while count < pieceBytes {
      let result = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress?.advanced(by: count), pieceBytes - count, Int(offset) + count)
      }
      guard result >= 0 else { return nil }
      if result == 0 { break }
      count += result
    }
    bytes.removeSubrange(count...)
    return bytes
  }

  /// Writes the database, and returns the place in the other log.
  private static func copy(
    _ directory: StateDirectory, to file: String, _ options: JournalOptions
  ) throws(SQLiteError) -> [UInt8] {
    let operation = "copy the newest snapshot for another node"
    let target = try Database.creating(file)
    _ = try PlaceRow(target)
    try target.run("COMMIT", for: operation)
    target.close()
    let database = try Database(directory.database, vfs: options.vfs, keepsWAL: true)
    defer { database.close() }
    try database.with("ATTACH ? AS base", for: operation) { statement throws(SQLiteError) in
      statement.bind(1, file)
      try statement.run()
    }
    // The file is read by this process only, and sent with a checksum.
    for pragma in ["synchronous", "journal_mode"] { try database.run("PRAGMA base.\(pragma) = OFF", for: operation) }
    try database.run("BEGIN", for: operation)
    let found = try HeadStatement(database).load()
    guard var head = found, let place = try PlaceRow.load(from: database) else {
      throw .malformed("the journal has no place in the log of a cluster", operation)
    }
    let rows = try SnapshotRow.load(from: database).sound
    guard let snapshot = rows.last(where: { $0.isComplete && $0.position >= head.base.position }) else {
      throw .malformed("the journal has no snapshot", operation)
    }
    // The turns have the changes of sessions since the table was written.
    let start = max(min(snapshot.position, head.sessionPosition), head.base.position)
    if start > head.base.position {
      let turn = try database.with("SELECT total, checksum FROM turns WHERE position = ?", for: operation) {
        statement throws(SQLiteError) -> Head.Place? in
        statement.bind(1, bits: start)
        guard try statement.step() else { return nil }
        return Head.Place(position: start, total: statement.bits(0), checksum: statement.bits(1))
      }
      guard let turn else { throw .malformed("turn \(start) is missing", operation) }
      head.base = turn
    }
    for table in ["schemas", "sessions", "place"] {
      try database.run("INSERT INTO base.\(table) SELECT * FROM main.\(table)", for: operation)
    }
    let id = snapshot.id
    for (table, rows) in [
      ("turns", "position > \(start)"), ("snapshots", "id = \(id)"),
      ("pieces", "id >= \(id << 24) AND id < \((id + 1) << 24)"),
    ] {
      try database.run("INSERT INTO base.\(table) SELECT * FROM main.\(table) WHERE \(rows)", for: operation)
    }
    (head.epoch, head.isClean, head.snapshot) = (.random(), true, id)
    let write = Head.write.replacing("INTO meta", with: "INTO base.meta")
    try head.store(with: database.prepare(write, for: operation))
    try database.run("COMMIT", for: operation)
    return place
  }
}

extension StateDirectory {
  /// Removes what a copy for another node has left.
  func removeGivenDatabase() { for file in [givenDatabase, givenDatabase + "-journal"] { unlink(file) } }
}

extension Journal {
  /// Copies all that another hub needs to go on from the end of this journal. It takes a while, on the calling thread;
  /// turns are stored meanwhile.
  package func copyBase() throws(LogError) -> JournalBase { try JournalBase(of: directory, options) }
}
