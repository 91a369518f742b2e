import Glibc
import Journal
import Testing
import TurnLog
import Wire

/// Tools that read a journal while the hub writes it, and tools that create journals.
@Suite(.serialized) struct ReaderTests {
  let scratch = Scratch(isInMemory: true)

  private func read(_ reader: JournalReader, from position: UInt64) throws -> [LoggedTurn] {
    try reader.read(from: position, byteLimit: .max)
  }

  /// Otherwise a tool would show the imported state as that of an earlier revision.
  @Test func anImportedHistoryBeginsAtItsRevision() throws {
    let directory = scratch.path + "/imported"
    try JournalTool.begin(directory, schema: schema, state: stateBytes(at: 0), revision: 25, time: 1)
    let reader = try JournalReader(directory)
    #expect(try [0, 24, 25].map { try reader.position(of: $0) } == [nil, nil, 0])
  }

  /// Root may search every directory.
  @Test(.enabled(if: getuid() != 0)) func aDirectoryThatMayNotBeSearchedIsNotCalledEmpty() throws {
    let directory = scratch.path + "/closed"
    try JournalTool.begin(directory, schema: schema, state: stateBytes(at: 0), revision: 0, time: 1)
    try #require(chmod(directory, 0) == 0)
    defer { chmod(directory, 0o700) }
    let error = #expect(throws: LogError.self) { try JournalReader(directory) }
    #expect(error?.description.contains("permission denied") == true, "\(error as Any)")
  }

  @Test func aReaderSeesWhatTheWriterStores() throws {
    let opened = try Opened(scratch.path)
    opened.save(snapshot(at: 0))
    opened.store(1...4)
    let reader = try JournalReader(scratch.path)
    let extent = try reader.extent()
    #expect(extent.base == 0 && extent.tail == 4 && extent.revision == 2 && extent.time == 1_000_004)
    #expect(extent.epoch == opened.journal.epoch)
    #expect(try reader.snapshots().map(\.position) == [0])
    #expect(try reader.snapshot(upTo: 3)?.bytes == stateBytes(at: 0))
    #expect(try reader.schemas().map(\.schema) == [schema])
    #expect(try read(reader, from: 1) == turns(1...4))

    opened.save(snapshot(at: 4))
    opened.store(5...9)
    #expect(try read(reader, from: 5) == turns(5...9))
    #expect(try reader.snapshot(upTo: 3)?.position == 0 && reader.snapshot(upTo: 9)?.position == 4)
    #expect(try reader.position(of: 3) == 7)
    #expect(try [0, 1_000_001, 1_000_006, .max].map { try reader.position(at: $0) } == [0, 1, 6, 9])
    // The reader neither blocks the writer nor changes anything.
    opened.store(10...12)
    opened.journal.close()
    #expect(try JournalTool.verify(scratch.path).isSound)
    #expect(try JournalReader(scratch.path).extent().tail == 12)
  }

  /// A log that was cut, or lost, with the commits in it.
  @Test(arguments: [false, true]) func aReaderRefusesAShortenedJournal(isMissing: Bool) throws {
    let opened = try Opened(scratch.path + "/a") { $0.extensionPages = 0 }
    opened.save(snapshot(at: 0))
    for position in 1...4 as ClosedRange<UInt64> { opened.store(position...position) }
    let copy = scratch.path + "/b"
    Scratch.copy(scratch.path + "/a", to: copy)
    opened.journal.close()
    #expect(try JournalReader(copy).extent().tail == 4)
    if isMissing {
      // Otherwise there would be no tables in the database.
      Scratch.write(Scratch.read(scratch.path + "/a/journal.db"), to: copy + "/journal.db")
      let again = try Opened(scratch.path + "/a")
      again.store(5...5)
      Scratch.write(Scratch.read(scratch.path + "/a/journal.tail"), to: copy + "/journal.tail")
      again.journal.close()
      unlink(copy + "/journal.db-wal")
    } else {
      var log = Scratch.read(copy + "/journal.db-wal")
      log.removeLast(100)
      Scratch.write(log, to: copy + "/journal.db-wal")
    }
    unlink(copy + "/journal.db-shm")
    let error = #expect(throws: LogError.self) { try JournalReader(copy) }
    #expect(error?.problem == .damaged && error?.description.contains("commits are missing") == true)
  }

  /// A copy is whole, also of a journal in use, and continues with other turns than the original.
  @Test(arguments: [true, false]) func aCopyIsAJournalOfItsOwn(isInUse: Bool) throws {
    var opened = try Opened(scratch.path)
    let epoch = opened.journal.epoch
    opened.save(snapshot(at: 0))
    opened.store(1...6)
    if !isInUse { opened.journal.close() }
    let copy = scratch.path + "/copy"
    let reader = try JournalReader(scratch.path)
    try reader.copy(to: copy)
    if !isInUse { opened = try Opened(scratch.path) }
    opened.store(7...8)
    let report = try JournalTool.verify(copy)
    #expect(report.isSound && report.notes.isEmpty && report.epoch != epoch)
    let other = try Opened(copy)
    #expect(other.history.revision == 3 && other.history.epoch == report.epoch && other.history.notes.isEmpty)
    #expect(try other.history.turns(from: 1) == turns(1...6))
    #expect(other.history.sessions.count == 3)
    other.store(7...20)
    other.journal.close()
    #expect(try reader.extent().tail == 8)
    #expect(throws: LogError.self) { try reader.copy(to: copy) }
    opened.journal.close()
  }

  @Test func aJournalBeginsWithAState() throws {
    let directory = scratch.path + "/new"
    let state = stateBytes(at: 5, count: 200_000)
    try JournalTool.begin(directory, schema: schema, state: state, revision: 17, time: 99)
    let report = try JournalTool.verify(directory)
    #expect(report.isSound && report.soundRevision == 17 && report.snapshots == [17] && report.notes.isEmpty)
    let opened = try Opened(directory)
    #expect(opened.history.notes.isEmpty && opened.history.epoch == report.epoch)
    #expect(opened.history.snapshot?.bytes == state && opened.history.revision == 17 && opened.history.tail == 0)
    var next = turn(1)
    (next.baseRevision, next.revision) = (17, 18)
    opened.journal.append([next])
    opened.events.waitForStored(1)
    opened.journal.close()
    #expect(try JournalTool.verify(directory).soundRevision == 18)
    #expect(throws: LogError.self) {
      try JournalTool.begin(directory, schema: schema, state: state, revision: 1, time: 0)
    }
  }

  /// A directory with an empty database is not one without any, and a file is no directory.
  @Test func anEmptyDatabaseAndAFileAreNamed() throws {
    let path = scratch.path
    func errors(_ path: String) -> [String] {
      let tools: [(String) throws -> Void] = [
        { _ = try JournalReader($0) }, { _ = try JournalTool.verify($0) }, { _ = try JournalTool.repair($0, to: 1) },
      ]
      return tools.map { tool in
        do { try tool(path) } catch { return "\(error)" }
        return ""
      }
    }
    Scratch.write([], to: path + "/journal.db")
    let empty = """
      there is no journal in \(path): its file journal.db is empty, as before a hub has stored anything; restore a \
      backup, or name another directory
      """
    #expect(errors(path) == [empty, empty, empty])
    let file = path + "/journal.db"
    let none = "\(file) is not a directory; name the state directory of a hub, with its file journal.db"
    #expect(errors(file) == [none, none, none])
  }

  @Test func whatIsNoJournalIsSaidSo() throws {
    let nothing = #expect(throws: LogError.self) { try JournalReader(scratch.path) }
    #expect(nothing?.description.contains("there is no journal") == true)
    Scratch.write(
      Array("no database at all, but long enough for the head of one".utf8), to: scratch.path + "/journal.db")
    #expect(throws: LogError.self) { try JournalReader(scratch.path) }
  }
}
