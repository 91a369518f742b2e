import CSQLite
import Glibc
import Journal
import Synchronization
import Testing
import TurnLog
import Wire

/// The operator's tools for a journal that no hub uses.
@Suite(.serialized) struct ToolTests {
  let scratch = Scratch(isInMemory: true)

  @Test func aSoundJournalIsVerified() throws {
    try scratch.makeJournal()
    let before = Scratch.read(scratch.path + "/journal.db")
    let report = try JournalTool.verify(scratch.path)
    #expect(report.isSound)
    #expect(report.soundRevision == 6 && report.lastRevision == 6)
    #expect(report.turns == 12 && report.positions == 1...12)
    #expect(report.snapshots == [0, 2] && report.sessions == 3)
    #expect(Scratch.read(scratch.path + "/journal.db") == before)
    #expect(Scratch.read(scratch.path + "/journal.db-wal").isEmpty)
    #expect(try JournalTool.repair(scratch.path) == nil)
  }

  @Test func aDamagedTurnEndsTheSoundPart() throws {
    try scratch.makeJournal()
    try damage("the delta of turn eight", in: scratch.path + "/journal.db")
    let report = try JournalTool.verify(scratch.path)
    #expect(report.problems == ["turn 8 is missing or not what was written"])
    #expect(report.soundRevision == 3 && report.lastRevision == 6)
    let (journal, history) = try Journal.open(directory: scratch.path) { _ in }
    let error = #expect(throws: LogError.self) { try history.rest() }
    #expect(error?.problem == .damaged && error?.soundRevision == 3)
    #expect(error?.description.contains("It is sound up to revision 3. ") == true)
    journal.close()

    let damaged = Scratch.read(scratch.path + "/journal.db")
    let repair = try #require(try JournalTool.repair(scratch.path))
    #expect(repair.revision == 3 && repair.copy == scratch.path + "/journal.db.damaged-1")
    #expect(Scratch.read(repair.copy) == damaged)
    let again = try Opened(scratch.path)
    #expect(again.history.epoch == repair.epoch && repair.epoch != history.epoch)
    #expect(again.history.snapshot?.bytes == stateBytes(at: 4))
    #expect(try again.history.rest().map(\.position) == [5, 6, 7])
    // The sessions after turn 7.
    #expect(again.history.sessions == [5, 6, 7].map { sampleSession($0 % 3, processed: $0) })
    #expect(try again.history.turns(from: 1) == turns(1...7))
    again.store(8...20)
    again.journal.close()
    #expect(try JournalTool.verify(scratch.path).isSound)
  }

  /// The rows of a damaged page have their checksums, whatever other bytes of the page are wrong.
  @Test func aDamagedPageIsReadAsFarAsItIsSound() throws {
    let opened = try Opened(scratch.path)
    opened.save(snapshot(at: 0))
    opened.store(1...400)
    opened.journal.close()
    let file = scratch.path + "/journal.db"
    var bytes = Scratch.read(file)
    // The last but one of the cell pointers in the root page of `turns`, an interior page with a header of 12 bytes.
    let (page, root) = (Int(bytes[16]) << 8 | Int(bytes[17]), try #require(rootPage(of: "turns")))
    let start = (root - 1) * page
    #expect(bytes[start] == 5)
    let cells = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
    for index in 0..<2 { bytes[start + 12 + 2 * (cells - 2) + index] = 0xff }
    Scratch.write(bytes, to: file)

    let report = try JournalTool.verify(scratch.path)
    let sound = try #require(report.soundRevision)
    #expect(sound > 100 && sound < 200 && report.lastRevision == 200 && report.turns > 200)
    #expect(report.problems.count == 2 && report.problems.allSatisfy { !$0.contains("\n") }, "\(report.problems)")
    let reading = #expect(throws: LogError.self) {
      try JournalReader(scratch.path).read(from: 1, byteLimit: .max)
    }
    #expect(reading?.soundRevision == sound)
    #expect(reading?.description.contains("t is sound up to revision \(sound)") == true)
    let opening = #expect(throws: LogError.self) { try Opened(scratch.path) }
    #expect(opening?.description.contains("It is sound up to revision 200 at most. ") == true)
    #expect(opening?.description.contains("\n") == false && opening?.description.contains("***") == false)
    let repair = try #require(try JournalTool.repair(scratch.path))
    #expect(repair.revision == sound && repair.lastRevision == 200)
    #expect(repair.copy == report.copy)
    #expect(report.repairEffect == "copies the files to \(repair.copy) and discards \(repair.discarded)")
    #expect(repair.discarded == "\(200 - sound) revisions, \(sound + 1) to 200")
  }

  private func rootPage(of table: String) -> Int? {
    var database: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close(database)
    }
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'"
    guard sqlite3_open(scratch.path + "/journal.db", &database) == SQLITE_OK,
      sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK, sqlite3_step(statement) == SQLITE_ROW
    else { return nil }
    return Int(sqlite3_column_int64(statement, 0))
  }

  @Test func aRevisionBehindTheDamageIsNotKept() throws {
    try scratch.makeJournal()
    try damage("the delta of turn eight", in: scratch.path + "/journal.db")
    let damaged = Scratch.read(scratch.path + "/journal.db")
    let error = #expect(throws: LogError.self) { try JournalTool.repair(scratch.path, to: 4) }
    #expect(error?.problem == .damaged && error?.soundRevision == 3)
    #expect(error?.description.contains("sound only up to revision 3, so revision 4 cannot be kept") == true)
    #expect(Scratch.read(scratch.path + "/journal.db") == damaged)
    #expect(try JournalTool.repair(scratch.path, to: 3)?.revision == 3)
  }

  /// The file that guards the end of the history is no part of the history.
  @Test(arguments: [nil, 0, 10, 56] as [Int?])
  func aLostTailRecordIsNoted(count: Int?) throws {
    try scratch.makeJournal()
    let tail = scratch.path + "/journal.tail"
    if let count { Scratch.write([UInt8](repeating: 0, count: count), to: tail) } else { unlink(tail) }
    let report = try JournalTool.verify(scratch.path)
    #expect(report.isSound && report.soundRevision == 6)
    let state = count ?? 0 == 0 ? "missing" : "not what was written"
    #expect(report.notes.count == 1 && report.notes.first?.hasPrefix("\(tail) is \(state), so turns") == true)
    // The next start writes it.
    try Opened(scratch.path).journal.close()
    #expect(try JournalTool.verify(scratch.path).notes.isEmpty)
  }

  /// Turns are read with the schema in force, so those after a lost one are not sound.
  @Test(arguments: [true, false])
  func aTurnWhoseSchemaIsLostIsNotSound(isMissing: Bool) throws {
    var opened = try Opened(scratch.path)
    opened.save(snapshot(at: 0))
    opened.store(1...4)
    opened.journal.begin(schema: newerSchema)
    opened.store(5...8)
    opened.journal.begin(schema: schema)
    opened.store(9...12)
    opened.journal.close()
    let change = isMissing ? "DELETE FROM schemas" : "UPDATE schemas SET schema = x'00'"
    execute("\(change) WHERE number = 2", in: scratch.path)

    let report = try JournalTool.verify(scratch.path)
    // Of a missing schema not even the first turn is known, which may be that of the schema before.
    let (turn, revision): (UInt64, UInt64) = isMissing ? (1, 0) : (5, 2)
    #expect(
      report.problems == [
        "a row of the table schemas is missing or damaged", "the schema of turn \(turn) is missing or damaged",
      ])
    #expect(report.soundRevision == revision)
    let reader = try JournalReader(scratch.path)
    #expect(throws: LogError.self) { try reader.schemas() }
    #expect(throws: LogError.self) { try reader.snapshot(upTo: 4) }
    #expect(try JournalTool.repair(scratch.path)?.revision == revision)
    opened = try Opened(scratch.path)
    #expect(opened.history.schemas.map(\.schema) == [schema])
    #expect(try opened.history.rest().count == turn - 1)
    #expect(opened.history.revision == revision)
    opened.journal.close()
    #expect(try JournalTool.verify(scratch.path).isSound)
  }

  /// A hub that was upgraded before its first action: both schemas begin with turn 1, and a snapshot has the earlier
  /// one.
  @Test func aTurnWithWhichTwoSchemasBeginHasTheLaterOne() throws {
    var opened = try Opened(scratch.path)
    opened.save(snapshot(at: 0))
    opened.journal.begin(schema: newerSchema)
    opened.store(1...4)
    opened.journal.close()
    #expect(try Opened(scratch.path).history.schemas.map(\.firstPosition) == [1, 1])
    execute("UPDATE schemas SET schema = x'00' WHERE number = 2", in: scratch.path)
    #expect(try JournalTool.verify(scratch.path).problems.last == "the schema of turn 1 is missing or damaged")
    #expect(try JournalTool.repair(scratch.path)?.revision == 0)
    opened = try Opened(scratch.path)
    #expect(try opened.history.rest().isEmpty)
    opened.journal.close()
  }

  /// The hub's user may have created links in its directory, and root runs the tools.
  @Test(arguments: ["journal.lock", "journal.tail", "journal.db", "journal.db.new"])
  func aToolFollowsNoLink(name: String) throws {
    try scratch.makeJournal()
    try damage("the delta of turn eight", in: scratch.path + "/journal.db")
    let (file, other) = (scratch.path + "/" + name, scratch.path + "/other")
    #expect(rename(file, other) == 0 || name == "journal.db.new")
    if name == "journal.db.new" { close(creat(other, 0o644)) }
    let before = Scratch.read(other)
    #expect(symlink(other, file) == 0)
    for use in [{ _ = try JournalTool.verify($0) }, { _ = try JournalTool.repair($0) }] as [(String) throws -> Void] {
      let error = #expect(throws: LogError.self) { try use(scratch.path) }
      #expect(
        error?.description.hasPrefix("\(file) is a link or a special file") == true, "\(error?.description ?? "")")
    }
    // A hub does not open the file of an unfinished repair.
    if name != "journal.db.new" {
      #expect(throws: LogError.self) { try Opened(scratch.path).journal.close() }
    }
    #expect(Scratch.read(other) == before)
  }

  /// The hub's user cannot read files of root.
  @Test(.enabled(if: geteuid() == 0, "only root can repair the journal of another user"))
  func aRepairByRootLeavesTheFilesToTheirUser() throws {
    try scratch.makeJournal()
    try damage("the delta of turn eight", in: scratch.path + "/journal.db")
    for file in [""] + Scratch.files(scratch.path) { #expect(chown("\(scratch.path)/\(file)", 4242, 4243) == 0) }
    #expect(try JournalTool.repair(scratch.path)?.revision == 3)
    for file in Scratch.files(scratch.path) {
      var status = stat()
      #expect(stat("\(scratch.path)/\(file)", &status) == 0)
      #expect(status.st_uid == 4242 && status.st_gid == 4243, "\(file)")
    }
  }

  @Test func theExportHasALineForEachTurn() throws {
    try scratch.makeJournal()
    var lines: [String] = []
    try JournalTool.export(scratch.path) { lines.append($0) }
    #expect(lines.count == 1 + 12 + 3)
    #expect(lines[0].hasPrefix(#"{"epoch":""#))
    #expect(
      lines[2] == """
        {"position":2,"base_revision":0,"revision":1,"time_ms":1000002,"actions":[{"origin":"00000000","first":2,\
        "count":1,"actions":"07070707070707070707"}],"delta":"02020202020202020202","sessions":[{"id":"00000000",\
        "user":1000,"process":42,"name":"client \\"2\\"","processed":2,"rejections":[],"has_ended":false}]}
        """)
    #expect(lines[15].hasPrefix(#"{"session":{"id":"00000000","user":1000,"#))
  }

  /// A wrong path must not leave a lock file there.
  @Test func aDirectoryWithoutAJournalIsLeftAsItWas() throws {
    #expect(throws: LogError.self) { try JournalTool.verify(scratch.path) }
    #expect(throws: LogError.self) { try JournalTool.repair(scratch.path) }
    #expect(throws: LogError.self) { try JournalTool.export(scratch.path) { _ in } }
    #expect(Scratch.files(scratch.path).isEmpty)
  }

  /// Also the last sound turn before damage arrives, and the error after it.
  @Test func theExportOnAnotherThreadIsTheSame() async throws {
    try scratch.makeJournal()
    for isDamaged in [false, true] {
      if isDamaged { try damage("the delta of turn eight", in: scratch.path + "/journal.db") }
      var (lines, failure): ([String], LogError?) = ([], nil)
      do throws(LogError) { try JournalTool.export(scratch.path) { lines.append($0) } } catch { failure = error }
      let written = Mutex<[String]>([])
      var other: LogError?
      do throws(LogError) {
        try await JournalTool.export(scratch.path) { more in
          written.withLock { $0 += more }
          return true
        }
      } catch { other = error }
      #expect(written.withLock { $0 } == lines && other == failure)
      #expect(lines.count == (isDamaged ? 8 : 16) && (failure == nil) == !isDamaged)
    }
  }

  /// The record of the end shows that the empty database is not a new one.
  @Test(arguments: [false, true]) func aLostDatabaseIsDamage(isEmpty: Bool) throws {
    try scratch.makeJournal()
    let file = scratch.path + "/journal.db"
    if isEmpty { Scratch.write([], to: file) } else { unlink(file) }
    let errors = [
      #expect(throws: LogError.self) { try Opened(scratch.path) },
      #expect(throws: LogError.self) { try JournalReader(scratch.path) },
      #expect(throws: LogError.self) { try JournalTool.verify(scratch.path) },
      #expect(throws: LogError.self) { try JournalTool.repair(scratch.path) },
      #expect(throws: LogError.self) { try JournalTool.export(scratch.path) { _ in } },
    ]
    for error in errors {
      #expect(error?.problem == .damaged)
      #expect(error?.description.contains("is missing or empty, but revision 6 was stored") == true)
    }
  }

  /// The advice of a repair that cannot help is not to repair.
  @Test func aJournalWithoutASoundStateIsNotRepaired() throws {
    let opened = try Opened(scratch.path)
    opened.save(snapshot(at: 0))
    opened.store(1...4)
    opened.journal.close()
    execute("UPDATE pieces SET bytes = x'00'", in: scratch.path)
    let file = scratch.path + "/journal.db"
    let before = Scratch.read(file)
    #expect(try JournalTool.verify(scratch.path).soundRevision == nil)
    let error = #expect(throws: LogError.self) { try JournalTool.repair(scratch.path) }
    #expect(error?.problem == .damaged)
    #expect(
      error?.description == """
        \(file) is damaged: no state can be recovered from it, so it was not changed. Put a backup of journal.db \
        into \(scratch.path), without journal.db-wal, journal.db-shm and journal.tail; or, to begin a new history, move the files out of \(scratch.path)
        """)
    #expect(Scratch.read(file) == before)
  }

  /// A reader would go on with the file that is no more.
  @Test func aReaderNoticesThatAnotherFileHasTakenThePlace() throws {
    try scratch.makeJournal()
    let reader = try JournalReader(scratch.path)
    #expect(!reader.isReplaced)
    _ = try JournalTool.repair(scratch.path, to: 2)
    #expect(reader.isReplaced)
    #expect(try !JournalReader(scratch.path).isReplaced)
  }

  /// It is damage, not a journal that begins later.
  @Test(arguments: ["UPDATE snapshots SET hash = hash + 1", "DELETE FROM snapshots"])
  func aJournalWithoutItsSnapshotsIsDamaged(change: String) throws {
    try scratch.makeJournal()
    execute(change, in: scratch.path)
    let reader = try JournalReader(scratch.path)
    let error = #expect(throws: LogError.self) { try reader.snapshot(upTo: .max) }
    #expect(error?.problem == .damaged && error?.description.contains("no sound snapshot") == true)
  }

  @Test func aMissingRecordOfTheEndIsNoted() throws {
    try scratch.makeJournal()
    #expect(try JournalHistory.reading(scratch.path).notes.isEmpty)
    unlink(scratch.path + "/journal.tail")
    let notes = try JournalHistory.reading(scratch.path).notes
    #expect(notes.count == 1 && notes[0].hasPrefix("there was no sound journal.tail"))
  }

  @Test func theAdviceIsACompleteCommand() throws {
    try scratch.makeJournal()
    try damage("the delta of turn eight", in: scratch.path + "/journal.db")
    let error = #expect(throws: LogError.self) { try JournalTool.export(scratch.path) { _ in } }
    #expect(error?.description.hasSuffix("run `storectl journal repair --state-dir \(scratch.path)`") == true)
  }

  @Test func aDirectoryInUseIsLeftAlone() throws {
    let opened = try Opened(scratch.path)
    #expect(throws: LogError.self) { try JournalTool.verify(scratch.path) }
    #expect(throws: LogError.self) { try JournalTool.repair(scratch.path) }
    opened.journal.close()
    #expect(throws: LogError.self) { try JournalTool.verify(scratch.path + "/missing") }
  }
}
