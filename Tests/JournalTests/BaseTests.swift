import CSQLite
import Glibc
import Journal
import Testing
import TurnLog
import Wire

/// The base of a journal, which another hub begins with.
@Suite struct BaseTests {
  private let scratch = Scratch(isInMemory: true)
  private var source: String { scratch.path + "/source" }
  private var target: String { scratch.path + "/target" }

  /// A journal of 40 turns with a snapshot after the 30th, whose place is `[40]`.
  private func sourceJournal() throws -> Opened {
    let opened = try Opened(source)
    opened.store(1...30)
    opened.save(snapshot(at: 30))
    opened.journal.append(turns(31...40), place: [40])
    opened.events.waitForStored(40)
    return opened
  }

  /// Lets the pieces of a base arrive in a state directory.
  private func send(_ base: JournalBase, to directory: String, upTo limit: UInt64 = .max) throws {
    let arriving = try ArrivingBase(in: directory)
    var (offset, sum): (UInt64, UInt64) = (0, 0)
    while offset < min(base.byteCount, limit) {
      let piece = try #require(base.piece(at: offset))
      try arriving.append(piece)
      sum = Checksum.of(piece.span.bytes, seed: sum)
      offset += UInt64(piece.count)
    }
    if limit == .max { #expect(sum == base.checksum) }
  }

  private func check(_ directory: String, place: [UInt8] = [40], turn: UInt64 = 40) throws(LogError) {
    try JournalTool.checkBase(in: directory, place: place, turn: turn, schema: schema.fingerprint)
  }

  /// The whole journal that a hub finds.
  private func expectBase(in directory: String) throws {
    let opened = try Opened(directory)
    defer { opened.journal.close() }
    let history = opened.history
    #expect(history.tail == 40 && history.revision == 20 && history.place == [40])
    #expect(history.snapshot?.position == 30 && history.snapshot?.bytes.elementsEqual(stateBytes(at: 30)) == true)
    #expect(history.snapshot?.effects == effects(at: 30))
    #expect(history.sessions == lastSessions(turns(1...40)))
    var positions: [UInt64] = []
    while let turn = try history.next() { positions.append(turn.position) }
    #expect(positions == Array(31...40))
    #expect(try opened.journal.read(from: 35, byteLimit: .max) == turns(35...40))
    opened.store(41...45)
    #expect(try opened.journal.read(from: 39, byteLimit: .max) == turns(39...45))
  }

  @Test func aHubGoesOnFromTheBaseOfAnotherJournal() throws {
    let opened = try sourceJournal()
    let base = try opened.journal.copyBase()
    // What follows in the original does not matter.
    opened.journal.append([turn(41)], place: [41])
    opened.events.waitForStored(41)
    #expect(base.place == [40])
    opened.journal.close()
    #expect(!Scratch.files(source).contains("journal.db.given"))
    try Opened(target).journal.close()
    try send(base, to: target)
    try check(target)
    #expect(try JournalTool.installBase(in: target) == nil)
    #expect(try JournalTool.verify(target).isSound)
    try expectBase(in: target)
    #expect(!Scratch.files(target).contains { $0 == "received" || $0.hasPrefix("journal.db.before") })
  }

  /// The process may have ended while it copied.
  @Test func anUnfinishedCopyIsRemovedWhenAHubStarts() throws {
    try Opened(source).journal.close()
    for suffix in ["", "-journal"] { Scratch.write([1, 2, 3], to: source + "/journal.db.given" + suffix) }
    try Opened(source).journal.close()
    #expect(!Scratch.files(source).contains { $0.hasPrefix("journal.db.given") })
  }

  /// Turns that are not in the table of sessions yet are those after the snapshot or before it.
  @Test func aBaseFollowsThatOfAnother() throws {
    let opened = try sourceJournal()
    let base = try opened.journal.copyBase()
    opened.journal.close()
    mkdir(target, 0o700)
    try send(base, to: target)
    try check(target)
    _ = try JournalTool.installBase(in: target)
    let second = try Opened(target)
    second.journal.append(turns(41...50), place: [50])
    second.events.waitForStored(50)
    let next = try second.journal.copyBase()
    second.journal.close()
    let third = scratch.path + "/third"
    mkdir(third, 0o700)
    try send(next, to: third)
    try JournalTool.checkBase(in: third, place: [50], turn: 50, schema: schema.fingerprint)
    _ = try JournalTool.installBase(in: third)
    let history = try Opened(third).history
    #expect(history.tail == 50 && history.sessions == lastSessions(turns(1...50)))
  }

  /// A journal that had turns is kept, and a hub can go on with it.
  @Test func aJournalWithTurnsIsKept() throws {
    let opened = try sourceJournal()
    let base = try opened.journal.copyBase()
    opened.journal.close()
    for number in 1...2 {
      let earlier = try Opened(target)
      if number == 1 { earlier.store(1...5) }
      earlier.journal.close()
      try send(base, to: target)
      try check(target)
      let kept = try #require(try JournalTool.installBase(in: target))
      #expect(kept == target + "/journal.db.before-\(number)")
      let copy = scratch.path + "/kept-\(number)"
      mkdir(copy, 0o700)
      Scratch.write(Scratch.read(kept), to: copy + "/journal.db")
      let history = try Opened(copy).history
      #expect(history.tail == (number == 1 ? 5 : 40))
    }
    try expectBase(in: target)
  }

  /// The process may end at each step: the directory has the journal that it had, or the new one.
  @Test(arguments: JournalTool.InstallStep.allCases)
  func anInstallationMayBeInterrupted(step: JournalTool.InstallStep) throws {
    let opened = try sourceJournal()
    let base = try opened.journal.copyBase()
    opened.journal.close()
    let earlier = try Opened(target)
    earlier.store(1...5)
    earlier.journal.close()
    try send(base, to: target)
    try check(target)
    let end = LogError(.storage, "the process ends here")
    #expect(throws: end) {
      try JournalTool.installBase(in: target) { (reached) throws(LogError) in if reached == step { throw end } }
    }
    #expect(kept(in: target) == ["journal.db.before-1"])
    let isNew = [.replaced, .recorded, .complete].contains(step)
    if isNew {
      try expectBase(in: target)
      return
    }
    let again = try Opened(target)
    #expect(again.history.tail == 5 && again.history.sessions == lastSessions(turns(1...5)))
    again.store(6...7)
    again.journal.close()
    // The next attempt.
    try send(base, to: target)
    try check(target)
    let name = try JournalTool.installBase(in: target)
    #expect(name == target + "/journal.db.before-1" && kept(in: target) == ["journal.db.before-1"])
    #expect(try lastTurn(ofKept: 1, in: target) == 7)
    try expectBase(in: target)
  }

  private func kept(in directory: String) -> [String] {
    Scratch.files(directory).filter { $0.hasPrefix("journal.db.before-") }.sorted()
  }

  /// The last turn of a journal that was replaced.
  private func lastTurn(ofKept number: Int, in directory: String) throws -> UInt64 {
    let copy = scratch.path + "/kept"
    mkdir(copy, 0o700)
    for file in Scratch.files(copy) { unlink("\(copy)/\(file)") }
    Scratch.write(Scratch.read("\(directory)/journal.db.before-\(number)"), to: copy + "/journal.db")
    let opened = try Opened(copy)
    defer { opened.journal.close() }
    return opened.history.tail
  }

  /// Replaces the journal of the target by a base, after it has stored another turn.
  private func replace(with base: JournalBase, storing turn: UInt64) throws -> String? {
    let earlier = try Opened(target)
    earlier.store(turn...turn)
    earlier.journal.close()
    try send(base, to: target)
    try check(target)
    return try JournalTool.installBase(in: target)
  }

  /// The replaced journals do not fill the disk, and the newest one has the greatest number, whichever were removed.
  @Test func theLastTwoReplacedJournalsAreKept() throws {
    let opened = try sourceJournal()
    let base = try opened.journal.copyBase()
    opened.journal.close()
    for name in ["journal.db.before-old", "journal.db.before-01", "journal.db.before-"] {
      try Opened(target).journal.close()
      Scratch.write([1], to: "\(target)/\(name)")
    }
    let others = kept(in: target)
    for number in 1...4 {
      #expect(try replace(with: base, storing: number == 1 ? 1 : 41) == "\(target)/journal.db.before-\(number)")
      let expected = (max(1, number - 1)...number).map { "journal.db.before-\($0)" }
      #expect(Set(kept(in: target)) == Set(expected + others))
    }
    #expect(try lastTurn(ofKept: 4, in: target) == 41)
    // An operator has removed one.
    unlink(target + "/journal.db.before-3")
    #expect(try replace(with: base, storing: 41) == target + "/journal.db.before-5")
    #expect(Set(kept(in: target)) == Set(["journal.db.before-4", "journal.db.before-5"] + others))
  }

  /// Earlier versions gave a journal another name in each installation that was interrupted.
  @Test func severalNamesOfAReplacedJournalCountOnce() throws {
    let opened = try sourceJournal()
    let base = try opened.journal.copyBase()
    opened.journal.close()
    #expect(try replace(with: base, storing: 1) == target + "/journal.db.before-1")
    for number in 2...3 { #expect(link(target + "/journal.db", target + "/journal.db.before-\(number)") == 0) }
    #expect(try replace(with: base, storing: 41) == target + "/journal.db.before-3")
    #expect(kept(in: target) == ["journal.db.before-1", "journal.db.before-3"])
    #expect(try lastTurn(ofKept: 1, in: target) == 1 && lastTurn(ofKept: 3, in: target) == 41)
  }

  /// Until the new journal is complete, all earlier ones stay.
  @Test(arguments: JournalTool.InstallStep.allCases)
  func anInterruptedInstallationRemovesNoReplacedJournal(step: JournalTool.InstallStep) throws {
    let opened = try sourceJournal()
    let base = try opened.journal.copyBase()
    opened.journal.close()
    for turn in [UInt64(1), 41] { _ = try replace(with: base, storing: turn) }
    let earlier = try Opened(target)
    earlier.store(41...41)
    earlier.journal.close()
    let end = LogError(.storage, "the process ends here")
    for _ in 1...3 {
      try send(base, to: target)
      try check(target)
      #expect(throws: end) {
        try JournalTool.installBase(in: target) { (reached) throws(LogError) in if reached == step { throw end } }
      }
      guard step == .keptAside || step == .tailRemoved else { break }
    }
    let all = (1...3).map { "journal.db.before-\($0)" }
    #expect(kept(in: target) == (step == .complete ? Array(all.dropFirst()) : all))
    try send(base, to: target)
    try check(target)
    _ = try JournalTool.installBase(in: target)
    let isReplaced = step != .keptAside && step != .tailRemoved
    // The journal of the first installation has turns as well.
    let last = isReplaced ? 4 : 3
    #expect(kept(in: target) == [last - 1, last].map { "journal.db.before-\($0)" })
    #expect(try lastTurn(ofKept: 3, in: target) == 41)
    try expectBase(in: target)
  }

  /// Whatever has arrived, the journal of the directory stays as it is.
  @Test func whatIsNotTheBaseIsRefused() throws {
    let opened = try sourceJournal()
    let base = try opened.journal.copyBase()
    opened.journal.close()
    let earlier = try Opened(target)
    earlier.store(1...5)
    earlier.journal.close()
    func refusal(_ change: () throws -> Void = {}, place: [UInt8] = [40], turn: UInt64 = 40) throws -> String {
      try send(base, to: target)
      try change()
      do throws(LogError) {
        try check(target, place: place, turn: turn)
        return ""
      } catch { return "\(error)" }
    }
    let received = target + "/received"
    #expect(try refusal(place: [41]).contains("ends at another place of the log"))
    #expect(try refusal(turn: 39).contains("ends at another place of the log"))
    let change = try refusal {
      execute("CREATE TRIGGER t AFTER INSERT ON turns BEGIN DELETE FROM turns; END", in: received)
    }
    #expect(change.contains("has tables that no journal has"), "\(change)")
    for sql in [
      "DELETE FROM turns WHERE position = 35", "UPDATE turns SET delta = x'01' WHERE position = 36",
      "UPDATE pieces SET bytes = x'00'", "DELETE FROM sessions", "UPDATE meta SET tail_position = 39",
      "DELETE FROM pieces; DELETE FROM snapshots",
    ] {
      let reason = try refusal { execute(sql, in: received) }
      #expect(reason.contains("cannot be used") || reason.contains("damaged"), "\(sql): \(reason)")
    }
    // Half of a file, none, and something else.
    try send(base, to: target, upTo: base.byteCount / 2)
    #expect(throws: LogError.self) { try check(target) }
    Scratch.write([UInt8](repeating: 0x61, count: 100_000), to: received + "/journal.db")
    #expect(throws: LogError.self) { try check(target) }
    ArrivingBase.remove(in: target)
    #expect(throws: LogError.self) { try check(target) }
    let opening = try Opened(target)
    #expect(opening.history.tail == 5)
  }

  /// Leaves one session.
  private static let oneSession = """
    DELETE FROM sessions WHERE id != (SELECT min(id) FROM sessions);
    UPDATE meta SET session_count = 1;
    """

  /// The node that sends it may be faulty or taken over, and checksums protect from damage only.
  @Test(arguments: [
    "UPDATE meta SET base_position = -1", "UPDATE meta SET base_total = -1", "UPDATE meta SET session_position = -1",
    "UPDATE schemas SET first_position = 0; UPDATE meta SET schema_count = 2",
    "UPDATE snapshots SET position = -1", "UPDATE snapshots SET revision = -1", "UPDATE meta SET tail_revision = -1",
    oneSession + "UPDATE sessions SET processed = -1",
  ])
  func impossibleNumbersWithSoundChecksumsAreRefused(sql: String) throws {
    let opened = try sourceJournal()
    let base = try opened.journal.copyBase()
    opened.journal.close()
    try Opened(target).journal.close()
    try send(base, to: target)
    try executeWithChecksums(sql, in: target + "/received")
    #expect(throws: LogError.self) { try check(target) }
  }

  /// Rows that do not fit are restored if possible, which must not take the memory of the hub, nor the stack.
  @Test func manySchemasThatDoNotFitAreRefused() throws {
    let opened = try sourceJournal()
    let base = try opened.journal.copyBase()
    opened.journal.close()
    try Opened(target).journal.close()
    try send(base, to: target)
    try executeWithChecksums(
      """
      INSERT INTO schemas WITH RECURSIVE rows(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM rows WHERE n < 40000)
        SELECT n, first_position, fingerprint, schema, checksum FROM schemas, rows WHERE number = 1;
      UPDATE meta SET schema_count = 40000
      """, in: target + "/received")
    #expect(throws: LogError.self) { try check(target) }
  }

  /// Changes tables, and gives their rows the checksums of a hub.
  private func executeWithChecksums(_ sql: String, in directory: String) throws {
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    try #require(sqlite3_open(directory + "/journal.db", &database) == SQLITE_OK)
    // The checksum of numbers; of a blob with 16 bytes, both halves.
    sqlite3_create_function(
      database, "words", -1, SQLITE_UTF8, nil,
      { context, count, values in
        var bytes: [UInt8] = []
        for index in 0..<Int(count) {
          let value = values?[index]
          if sqlite3_value_type(value) == SQLITE_BLOB {
            let blob = UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: Int(sqlite3_value_bytes(value)))
            for half in [blob[..<8], blob[8...]] { bytes += half.reversed() }
          } else {
            withUnsafeBytes(of: sqlite3_value_int64(value).littleEndian) { bytes += $0 }
          }
        }
        sqlite3_result_int64(context, Int64(bitPattern: Checksum.of(bytes.span.bytes)))
      }, nil, nil)
    // The checksum of a blob that continues another one.
    sqlite3_create_function(
      database, "digest", 2, SQLITE_UTF8, nil,
      { context, _, values in
        let (value, seed) = (values?[0], UInt64(bitPattern: sqlite3_value_int64(values?[1])))
        let blob = UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: Int(sqlite3_value_bytes(value)))
        sqlite3_result_int64(context, Int64(bitPattern: Checksum.of(blob.bytes, seed: seed)))
      }, nil, nil)
    let checksums = """
      UPDATE schemas SET checksum = words(0, 1, first_position, digest(schema, 0));
      UPDATE pieces SET checksum = digest(bytes, coalesce(
        (SELECT checksum FROM pieces AS before WHERE before.id = pieces.id - 1),
        (SELECT words(id, position, revision) FROM snapshots)));
      UPDATE snapshots SET hash = (SELECT checksum FROM pieces ORDER BY id DESC LIMIT 1);
      UPDATE snapshots SET checksum = words(
        id, position, revision, time_ms, turn_checksum, digest(fingerprint, 0), pieces, bytes, hash, complete);
      UPDATE sessions SET checksum = words(
        id, user, process, digest(CAST(name AS BLOB), 0), processed, digest(rejections, 0), position, revision, time_ms);
      UPDATE meta SET session_sum = CASE session_count WHEN 1 THEN (SELECT checksum FROM sessions) ELSE session_sum END;
      UPDATE meta SET schema_checksum = (SELECT checksum FROM schemas WHERE number = 1);
      UPDATE meta SET checksum = words(
        epoch, created_ms, clean, base_position, base_total, base_checksum, tail_position, tail_revision, tail_time_ms,
        tail_total, tail_checksum, schema_count, schema_checksum, session_count, session_sum, snapshot, session_position);
      """
    for statements in [sql, checksums] {
      try #require(sqlite3_exec(database, statements, nil, nil, nil) == SQLITE_OK)
    }
  }

  /// Proves that the rows which `executeWithChecksums` leaves alone, or gives possible numbers, stay sound.
  @Test(arguments: ["", oneSession + "UPDATE sessions SET processed = 5"])
  func aBaseWithChecksumsOfATestIsSound(sql: String) throws {
    let opened = try sourceJournal()
    let base = try opened.journal.copyBase()
    opened.journal.close()
    try Opened(target).journal.close()
    try send(base, to: target)
    try executeWithChecksums(sql, in: target + "/received")
    try check(target)
  }

  @Test func aJournalWithoutAPlaceIsNotGiven() throws {
    let opened = try Opened(source)
    opened.store(1...3)
    #expect(throws: LogError.self) { try opened.journal.copyBase() }
    opened.journal.close()
  }
}
