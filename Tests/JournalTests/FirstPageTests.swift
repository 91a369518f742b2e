import Glibc
import Journal
import TestSupport
import Testing
import TurnLog
import Wire

/// Damage to the first page of the database, which has SQLite's header and its list of tables, and to the schema of the
/// state. All rows are sound, so a repair keeps everything.
@Suite(.serialized, .computing) struct FirstPageTests {
  let scratch = Scratch(isInMemory: true)
  private var directory: String { scratch.path + "/state" }

  /// Makes a journal of 12 turns, 6 revisions, two snapshots, and puts it aside.
  private func makeJournal(isClosed: Bool = true) throws -> [String: [UInt8]] {
    let opened = try Opened(directory)
    opened.save(snapshot(at: 0, count: 300))
    opened.store(1...4)
    opened.save(snapshot(at: 4, count: 300))
    opened.store(5...8)
    if isClosed {
      opened.store(9...12)
      opened.journal.close()
    }
    let names = ["journal.db", "journal.db-wal", "journal.tail"].filter { access("\(directory)/\($0)", F_OK) == 0 }
    let files = Dictionary(uniqueKeysWithValues: names.map { ($0, Scratch.read("\(directory)/\($0)")) })
    opened.journal.close()
    return files
  }

  private func put(_ files: [String: [UInt8]]) {
    scratch.remove(directory)
    mkdir(directory, 0o700)
    for (name, bytes) in files { Scratch.write(bytes, to: "\(directory)/\(name)") }
  }

  /// Repairs the damaged files, and checks that nothing was lost.
  private func repair(_ files: [String: [UInt8]], schemas: [Schema] = [], _ comment: Comment) throws {
    put(files)
    let report = try JournalTool.verify(directory, schemas: schemas)
    guard !report.isSound else { return }
    #expect(report.soundRevision == 6 && report.lastRevision == 6 && report.remedy == nil, comment)
    #expect(report.turns == 12, comment)
    let repair = try JournalTool.repair(directory, schemas: schemas)
    #expect(repair?.revision == 6 && repair?.discarded == "no revision", comment)
    let again = try Opened(directory)
    #expect(again.history.snapshot?.position == 4, comment)
    #expect(try again.history.turns(from: 1) == turns(1...12), comment)
    #expect(Set(again.history.sessions.map(\.id)) == Set(lastSessions(turns(1...12)).map(\.id)), comment)
    again.journal.close()
    #expect(try JournalTool.verify(directory).isSound, comment)
    #expect(!Scratch.files(directory).contains { $0.contains("restored") || $0.hasSuffix(".new") }, comment)
  }

  @Test func everyByteOfTheFirstPageCanBeRestored() throws {
    let files = try makeJournal()
    let database = try #require(files["journal.db"])
    var detected = 0
    for index in Array(0..<128) + Array(stride(from: 128, to: 4096, by: 37)) {
      var damaged = files
      damaged["journal.db"]?[index] ^= 0xff
      put(damaged)
      if (try? JournalTool.verify(directory).isSound) == true { continue }
      detected += 1
      try repair(damaged, "byte \(index) of \(database.count)")
    }
    #expect(detected > 80)
  }

  @Test(arguments: [0, 100, 512, 4096]) func aFirstPageThatIsLostIsRestored(start: Int) throws {
    var files = try makeJournal()
    let range = start == 4096 ? 0..<4096 : start..<min(start + 1024, 4096)
    files["journal.db"]?.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
    try repair(files, "bytes \(range)")
  }

  /// After a crash, the last turns are in the write-ahead log.
  @Test func theWriteAheadLogIsReadToo() throws {
    var files = try makeJournal(isClosed: false)
    #expect(files["journal.db-wal"]?.isEmpty == false)
    put(files)
    let whole = try JournalTool.verify(directory)
    for index in [20, 40, 70, 105, 3000] { files["journal.db"]?[index] ^= 0xff }
    put(files)
    #expect(try JournalTool.verify(directory).soundRevision == whole.soundRevision)
  }

  /// A hub that upgrades a journal of the first version moves a table.
  @Test func anUpgradedJournalIsRestored() throws {
    var files = try makeJournal()
    let original = try #require(files["journal.db"])
    // As `OpenedDatabase.upgrade` does.
    put(files)
    let sql = try #require(
      String(decoding: original, as: UTF8.self).firstMatch(of: /CREATE TABLE meta \((?:.|\n)*?\) STRICT/))
    execute(
      """
      BEGIN; CREATE TEMP TABLE saved AS SELECT * FROM meta; DROP TABLE meta; \(sql.output);
      INSERT INTO meta SELECT * FROM saved; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)
      """, in: directory)
    #expect(try JournalTool.verify(directory).isSound)
    files["journal.db"] = Scratch.read(directory + "/journal.db")
    for index in [16, 100, 108, 2000, 4000] { files["journal.db"]?[index] ^= 0xff }
    try repair(files, "upgraded")
  }

  @Test func aFileThatIsNoJournalIsLeftAlone() throws {
    mkdir(directory, 0o700)
    for bytes in [
      [UInt8](repeating: 0x41, count: 10 * 4096),
      Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 40_000),
    ] {
      Scratch.write(bytes, to: directory + "/journal.db")
      #expect(throws: LogError.self) { try JournalTool.repair(directory) }
      #expect(Scratch.read(directory + "/journal.db") == bytes)
      #expect(Scratch.files(directory) == ["journal.db", "journal.lock"])
    }
  }

  // MARK: The schema of the state

  @Test(arguments: ["first_position = 77", "checksum = 5", "number = 9", "fingerprint = x'00'"])
  func aSchemaThatCanBeReadIsRestored(change: String) throws {
    _ = try makeJournal()
    execute("UPDATE schemas SET \(change); PRAGMA wal_checkpoint(TRUNCATE)", in: directory)
    let files = [
      "journal.db": Scratch.read(directory + "/journal.db"), "journal.tail": Scratch.read(directory + "/journal.tail"),
    ]
    put(files)
    #expect(try JournalTool.verify(directory).problems == ["a row of the table schemas is missing or damaged"])
    try repair(files, "\(change)")
  }

  /// Only the program of the hub has another copy.
  @Test(arguments: ["UPDATE schemas SET schema = x'8000'", "DELETE FROM schemas"])
  func aLostSchemaIsThatOfTheProgram(change: String) throws {
    _ = try makeJournal()
    execute("\(change); PRAGMA wal_checkpoint(TRUNCATE)", in: directory)
    let files = [
      "journal.db": Scratch.read(directory + "/journal.db"), "journal.tail": Scratch.read(directory + "/journal.tail"),
    ]
    put(files)
    let report = try JournalTool.verify(directory)
    #expect(report.soundRevision == nil)
    let command = "`storehubd --print-schema | storectl journal repair --state-dir \(directory) --schema -`"
    #expect(report.remedy?.contains("the program of the hub knows it, so run \(command)") == true)
    let error = #expect(throws: LogError.self) { try JournalTool.repair(directory) }
    #expect(error?.description.contains(command) == true)
    #expect(error?.description.contains("put a backup of journal.db into \(directory)") == true)
    // Another schema does not fit the head.
    #expect(try JournalTool.verify(directory, schemas: [newerSchema]).soundRevision == nil)
    try repair(files, schemas: [newerSchema, schema], "\(change)")
  }
}
