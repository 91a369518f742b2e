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

  /// Writes turns and snapshots; the delta of turn 8 is a text.
  private func makeJournal() throws {
    let opened = try Opened(scratch.path)
    opened.save(snapshot(at: 0))
    opened.store(1...4)
    opened.save(snapshot(at: 4))
    opened.store(5...7)
    var marked = turn(8)
    marked.delta = Array("the delta of turn eight".utf8)
    opened.journal.append([marked] + turns(9...12))
    opened.journal.close()
  }

  @Test func aSoundJournalIsVerified() throws {
    try makeJournal()
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
    try makeJournal()
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
    try makeJournal()
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
    try makeJournal()
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

  /// A hub that was upgraded before its first action: both schemas begin with turn 1, and a snapshot has the earlier one.
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
    try makeJournal()
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
    try makeJournal()
    try damage("the delta of turn eight", in: scratch.path + "/journal.db")
    for file in [""] + Scratch.files(scratch.path) { #expect(chown("\(scratch.path)/\(file)", 4242, 4243) == 0) }
    #expect(try JournalTool.repair(scratch.path)?.revision == 3)
    for file in Scratch.files(scratch.path) {
      var status = stat()
      #expect(stat("\(scratch.path)/\(file)", &status) == 0)
      #expect(status.st_uid == 4242 && status.st_gid == 4243, "\(file)")
    }
  }

  @Test func aJournalIsCutToAnyRevision() throws {
    for revision in 0...6 as ClosedRange<UInt64> {
      scratch.remove(scratch.path)
      mkdir(scratch.path, 0o700)
      try makeJournal()
      let repair = try JournalTool.repair(scratch.path, to: revision)
      #expect(repair?.revision == (revision == 6 ? nil : revision))
      let again = try Opened(scratch.path)
      #expect(again.history.revision == revision)
      #expect(again.history.snapshot?.revision == (revision < 2 ? 0 : 2))
      while try again.history.next() != nil {}
      again.journal.close()
      #expect(try JournalTool.verify(scratch.path).isSound)
    }
  }

  @Test func aTurnBeforeTheSnapshotIsGivenUp() throws {
    let opened = try Opened(scratch.path)
    var marked = turn(2)
    marked.delta = Array("the delta of turn two".utf8)
    opened.save(snapshot(at: 0))
    opened.journal.append([turn(1), marked] + turns(3...6))
    opened.save(snapshot(at: 4))
    opened.journal.close()
    try damage("the delta of turn two", in: scratch.path + "/journal.db")
    // Recovery does not need the damaged turn.
    #expect(try JournalHistory.reading(scratch.path).rest().map(\.position) == [5, 6])
    #expect(try JournalTool.verify(scratch.path).soundRevision == 3)
    let repair = try #require(try JournalTool.repair(scratch.path))
    #expect(repair.revision == 3)
    let again = try Opened(scratch.path)
    #expect(try again.history.rest().map(\.position) == [5, 6])
    #expect(throws: LogError.self) { try again.journal.read(from: 4, byteLimit: .max) }
    #expect(try again.journal.read(from: 5, byteLimit: .max) == turns(5...6))
  }

  @Test func aJournalThatLostItsLogIsRepaired() throws {
    let opened = try Opened(scratch.path + "/a")
    opened.save(snapshot(at: 0))
    opened.store(1...4)
    Scratch.copy(scratch.path + "/a", to: scratch.path + "/b")
    opened.journal.close()
    var log = Scratch.read(scratch.path + "/b/journal.db-wal")
    log.removeLast(log.count / 3)
    Scratch.write(log, to: scratch.path + "/b/journal.db-wal")
    let error = #expect(throws: LogError.self) { try Opened(scratch.path + "/b") }
    let sound = try #require(error?.soundRevision)
    let repair = try JournalTool.repair(scratch.path + "/b")
    #expect(repair?.revision == sound)
    let again = try Opened(scratch.path + "/b")
    #expect(again.history.revision == sound)
    again.journal.close()
  }

  private static let interruption = LogError(.storage, "the power fails")

  /// The power fails during a repair, which then is repeated. The sound part ends in the write-ahead log, or in the
  /// database.
  @Test(arguments: JournalTool.RepairStep.allCases, [false, true])
  func anInterruptedRepairIsCompleted(step: JournalTool.RepairStep, isInLog: Bool) throws {
    let directory = isInLog ? scratch.path + "/a" : scratch.path
    if isInLog {
      let opened = try Opened(scratch.path + "/b")
      opened.save(snapshot(at: 0))
      for end in [4, 8, 12] as [UInt64] { opened.store((end - 3)...end) }
      Scratch.copy(scratch.path + "/b", to: directory)
      opened.journal.close()
      var log = Scratch.read(directory + "/journal.db-wal")
      log.removeLast(100)
      Scratch.write(log, to: directory + "/journal.db-wal")
    } else {
      try makeJournal()
      try damage("the delta of turn eight", in: scratch.path + "/journal.db")
    }
    let sound = try #require(try JournalTool.verify(directory).soundRevision)
    #expect(sound > 0 && sound < 6)
    let error = #expect(throws: LogError.self) {
      try JournalTool.repair(directory, to: nil) { (done) throws(LogError) in
        if done == step { throw Self.interruption }
      }
    }
    #expect(error == Self.interruption)
    // A hub finds the repaired journal, or refuses the old one; it never finds less.
    if step != .replaced {
      let refusal = #expect(throws: LogError.self) {
        let (journal, history) = try Journal.open(directory: directory) { _ in }
        defer { journal.close() }
        while try history.next() != nil {}
      }
      #expect(refusal?.problem == .damaged)
      let isBegun = step == .tailWritten || step == .logRemoved
      #expect(refusal?.description.contains("was interrupted;") == isBegun)
      let report = try JournalTool.verify(directory)
      #expect(report.soundRevision == sound)
      #expect(report.problems.contains { $0.contains("was interrupted;") } == isBegun)
      if isBegun { #expect(throws: LogError.self) { try JournalReader(directory) } }
      let repair = try #require(try JournalTool.repair(directory))
      #expect(repair.revision == sound && Scratch.files(directory).contains("journal.db.damaged-1"))
      #expect(repair.copy == directory + "/journal.db.damaged-\(step == .copied ? 2 : 1)")
    }
    #expect(try JournalTool.repair(directory) == nil)
    let again = try Opened(directory)
    #expect(again.history.revision == sound)
    while try again.history.next() != nil {}
    again.journal.close()
    #expect(try JournalTool.verify(directory).isSound)
  }

  /// The new database may be the only complete one, so an error is not taken for its absence.
  @Test func aRepairedDatabaseThatCannotBeReadIsNotIgnored() throws {
    let directory = scratch.path
    try makeJournal()
    try damage("the delta of turn eight", in: directory + "/journal.db")
    _ = #expect(throws: LogError.self) {
      try JournalTool.repair(directory, to: nil) { (done) throws(LogError) in
        if done == .logRemoved { throw Self.interruption }
      }
    }
    let (new, aside) = (directory + "/journal.db.new", directory + "/aside")
    #expect(rename(new, aside) == 0 && mkdir(new, 0o700) == 0)
    let errors = [
      #expect(throws: LogError.self) { try Opened(directory) },
      #expect(throws: LogError.self) { try JournalReader(directory) },
      #expect(throws: LogError.self) { try JournalTool.verify(directory) },
    ]
    #expect(errors.allSatisfy { $0?.problem == .storage })
    #expect(rmdir(new) == 0 && rename(aside, new) == 0)
    #expect(try JournalTool.repair(directory)?.revision == 3)
  }

  /// Without it, missing commits would not be noticed.
  @Test func aTailThatCannotBeReadIsNotMissing() throws {
    try makeJournal()
    let tail = scratch.path + "/journal.tail"
    #expect(unlink(tail) == 0 && mkdir(tail, 0o700) == 0)
    let error = #expect(throws: LogError.self) { try JournalReader(scratch.path) }
    #expect(error?.problem == .storage)
    #expect(throws: LogError.self) { try JournalTool.verify(scratch.path) }
  }

  /// Also if copies of earlier repairs were removed.
  @Test func aCompletedRepairNamesItsCopy() throws {
    let directory = scratch.path
    try makeJournal()
    try damage("the delta of turn eight", in: directory + "/journal.db")
    Scratch.write(Array("an old copy".utf8), to: directory + "/journal.db.damaged-2")
    _ = #expect(throws: LogError.self) {
      try JournalTool.repair(directory, to: nil) { (done) throws(LogError) in
        if done == .tailWritten { throw Self.interruption }
      }
    }
    #expect(try JournalTool.repair(directory)?.copy == directory + "/journal.db.damaged-3")
    #expect(Scratch.files(directory).contains("journal.db.damaged-3"))
  }

  /// A signal may arrive before the repair begins, while it reads, or at its last moment.
  @Test(arguments: [false, true]) func aCancelledRepairLeavesTheDirectoryAsItWas(isBuilt: Bool) throws {
    try makeJournal()
    try damage("the delta of turn eight", in: scratch.path + "/journal.db")
    let before = (Scratch.files(scratch.path), Scratch.read(scratch.path + "/journal.db"))
    let cancellation = RepairCancellation()
    if !isBuilt { #expect(cancellation.cancel()) }
    #expect(throws: LogError.self) {
      try JournalTool.repair(scratch.path, to: nil, cancellation) { (step) throws(LogError) in
        #expect(isBuilt && step == .built && cancellation.cancel())
      }
    }
    #expect(cancellation.cancel())
    #expect(Scratch.files(scratch.path) == before.0 && Scratch.read(scratch.path + "/journal.db") == before.1)
    #expect(try JournalTool.repair(scratch.path)?.revision == 3)
  }

  /// Also if it only completes an earlier one.
  @Test(arguments: [false, true]) func aRepairThatChangesFilesIsNotCancelled(isSecond: Bool) throws {
    try makeJournal()
    try damage("the delta of turn eight", in: scratch.path + "/journal.db")
    let first = RepairCancellation()
    let repair = try? JournalTool.repair(scratch.path, to: nil, first) { (step) throws(LogError) in
      if step != .built { #expect(!first.cancel()) }
      if isSecond, step == .tailWritten { throw Self.interruption }
    }
    #expect((repair == nil) == isSecond)
    if isSecond {
      let second = RepairCancellation()
      #expect(second.cancel())
      #expect(throws: LogError.self) { try JournalTool.repair(scratch.path, cancellation: second) }
      #expect(try JournalTool.repair(scratch.path, cancellation: RepairCancellation())?.revision == 3)
    }
    #expect(try JournalTool.verify(scratch.path).isSound)
  }

  @Test func theExportHasALineForEachTurn() throws {
    try makeJournal()
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
    try makeJournal()
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
    try makeJournal()
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
        \(file) is damaged: no state can be recovered from it, so it was not changed. Restore a backup; or, to begin a \
        new history, move the files out of \(scratch.path)
        """)
    #expect(Scratch.read(file) == before)
  }

  /// A reader would go on with the file that is no more.
  @Test func aReaderNoticesThatAnotherFileHasTakenThePlace() throws {
    try makeJournal()
    let reader = try JournalReader(scratch.path)
    #expect(!reader.isReplaced)
    _ = try JournalTool.repair(scratch.path, to: 2)
    #expect(reader.isReplaced)
    #expect(try !JournalReader(scratch.path).isReplaced)
  }

  /// It is damage, not a journal that begins later.
  @Test(arguments: ["UPDATE snapshots SET hash = hash + 1", "DELETE FROM snapshots"])
  func aJournalWithoutItsSnapshotsIsDamaged(change: String) throws {
    try makeJournal()
    execute(change, in: scratch.path)
    let reader = try JournalReader(scratch.path)
    let error = #expect(throws: LogError.self) { try reader.snapshot(upTo: .max) }
    #expect(error?.problem == .damaged && error?.description.contains("no sound snapshot") == true)
  }

  @Test func aMissingRecordOfTheEndIsNoted() throws {
    try makeJournal()
    #expect(try JournalHistory.reading(scratch.path).notes.isEmpty)
    unlink(scratch.path + "/journal.tail")
    let notes = try JournalHistory.reading(scratch.path).notes
    #expect(notes.count == 1 && notes[0].hasPrefix("there was no sound journal.tail"))
  }

  @Test func theAdviceIsACompleteCommand() throws {
    try makeJournal()
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
