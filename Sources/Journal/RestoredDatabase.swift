internal import Glibc
internal import SQLite
internal import TurnLog
internal import Wire

/// A copy of a damaged database with the first page of a sound one.
///
/// That page has the header of the file, SQLite's list of tables, and nothing else. Without it SQLite reads nothing,
/// even if all rows are sound. Each journal has the same tables, created in the same order in an empty file, so the
/// page is known: only the size of the file differs. Rows have checksums, so a wrong page is noticed.
///
/// The files of the copy are removed when the object is released.
final class RestoredDatabase {
  /// The histories of a file, which differ in the places of the tables.
  enum Origin: CaseIterable {
    /// The tables are those that were created.
    case created
    /// A newer program has replaced the table `meta` of the first version, which moved another table.
    case upgraded
  }

  /// The path of the copy.
  let file: String

  private static let pageSize = 4096
  /// The parts of the page without which SQLite may not read everything: sqlite.org/fileformat2.html, 1.3. The others
  /// change while a journal is used.
  private static let decisiveParts = [0..<18, 20..<24, 28..<32, 44..<48, 52..<60, 64..<72, 100..<pageSize]

  /// Copies the database and its write-ahead log; nil if its first page is the expected one already, or if its pages
  /// have another size.
  ///
  /// - Throws: The reason why the copy cannot be made, such as a full disk.
  init?(of directory: StateDirectory, _ origin: Origin) throws(LogError) {
    file = directory.restoredDatabase
    let size = StateDirectory.size(of: directory.database)
    guard size >= 8 * Self.pageSize, size.isMultiple(of: Self.pageSize) else { return nil }
    let old = try Self.firstPage(of: directory.database)
    // SQLite's magic text, and the version of the tables, which an earlier program has written.
    let version = Self.number(old, 60)
    let known = old.starts(with: "SQLite format 3\0".utf8) && Tables.readableVersions.contains(version)
    remove()
    var page = try Self.firstPage(origin, version: known ? version : Tables.version, in: directory, file)
    // The size in pages, and no free pages.
    Self.store(UInt32(size / Self.pageSize), in: &page, 28)
    for offset in [32, 36] { Self.store(0, in: &page, offset) }
    // The kind of the journal is one of two.
    let isIntact =
      Tables.possibleVersions.contains(version) && old[18..<20].allSatisfy { 1...2 ~= $0 }
      && !Self.decisiveParts.contains { page[$0] != old[$0] }
    guard !isIntact else { return nil }
    let hasLog = StateDirectory.hasContents(directory.writeAheadLog)
    try FileCopy.copy(directory.database, to: file)
    if hasLog { try FileCopy.copy(directory.writeAheadLog, to: file + "-wal") }
    // The kind of the journal that is beside the file.
    for offset in [18, 19] { page[offset] = hasLog ? 2 : 1 }
    guard let descriptor = try StateDirectory.open(file, O_WRONLY) else { throw .system("open", file, ENOENT) }
    defer { close(descriptor) }
    guard pwrite(descriptor, page, page.count, 0) == page.count else { throw .system("write", file) }
  }

  deinit { remove() }

  private func remove() { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(file + suffix) } }

  /// Returns the first page of an empty journal.
  private static func firstPage(
    _ origin: Origin, version: Int64, in directory: StateDirectory, _ file: String
  ) throws(LogError) -> [UInt8] {
    try StateDirectory.createEmpty(file)
    try directory.attempt { () throws(SQLiteError) in
      let database = try Database.creating(file)
      defer { database.close() }
      let operation = "create the tables"
      if origin == .upgraded || version == Tables.firstVersion {
        try database.run("DROP TABLE meta", for: operation)
        try Tables.create(in: database, only: "meta")
      }
      try database.run("PRAGMA user_version = \(version)", for: operation)
      try database.run("COMMIT", for: operation)
    }
    defer { unlink(file) }
    return try firstPage(of: file)
  }

  private static func firstPage(of path: String) throws(LogError) -> [UInt8] {
    guard let descriptor = try StateDirectory.open(path, O_RDONLY) else { throw .system("open", path, ENOENT) }
    defer { close(descriptor) }
    var page = [UInt8](repeating: 0, count: pageSize)
    guard pread(descriptor, &page, page.count, 0) == page.count else { throw .system("read", path) }
    return page
  }

  /// A big-endian number of four bytes.
  private static func number(_ page: [UInt8], _ offset: Int) -> Int64 {
    page[offset..<offset + 4].reduce(0) { $0 << 8 | Int64($1) }
  }

  private static func store(_ number: UInt32, in page: inout [UInt8], _ offset: Int) {
    for index in 0..<4 { page[offset + index] = UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * index)) }
  }
}

extension Inspection {
  /// Reads a journal. If SQLite cannot read everything because the first page of the file is damaged, reads a copy with
  /// a restored page.
  static func reading(
    _ directory: StateDirectory, options: JournalOptions, readsStates: Bool = false, schemas: [Schema] = [],
    cancellation: RepairCancellation? = nil
  ) throws(LogError) -> Inspection {
    let plain: Inspection
    do throws(LogError) {
      plain = try Inspection(
        directory, options: options, readsStates: readsStates, schemas: schemas, cancellation: cancellation)
    } catch {
      guard error.problem == .unknownFormat,
        let restored = restored(
          directory, options, schemas, cancellation, after: [error.description], isBetter: { _ in true })
      else { throw error }
      return restored
    }
    guard !plain.problems.isEmpty, !plain.isReadToItsEnd,
      let restored = restored(
        directory, options, schemas, cancellation, after: plain.problems,
        isBetter: { sound in
          plain.soundRevision.map { plain.head == nil ? sound >= $0 : sound > $0 } ?? true
        })
    else { return plain }
    plain.close()
    return restored
  }

  /// True if all turns and the newest snapshot are sound.
  private var isReadToItsEnd: Bool { head != nil && first?.fault == nil && soundRevision == head?.revision }

  /// Reads a copy with a restored first page; nil if its last sound revision is not better than what was read.
  private static func restored(
    _ directory: StateDirectory, _ options: JournalOptions, _ schemas: [Schema], _ cancellation: RepairCancellation?,
    after problems: [String], isBetter: (UInt64) -> Bool
  ) -> Inspection? {
    for origin in RestoredDatabase.Origin.allCases where cancellation?.isCancelled != true {
      // A copy that cannot be made, or is refused as well, is no reason to refuse the original.
      guard let copy = try? RestoredDatabase(of: directory, origin),
        let inspection = try? Inspection(
          directory, options: options, schemas: schemas, cancellation: cancellation, reading: copy, after: problems)
      else { continue }
      if inspection.head != nil, let sound = inspection.soundRevision, isBetter(sound) {
        return inspection
      }
      inspection.close()
    }
    return nil
  }
}
