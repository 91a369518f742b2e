import Glibc
import Journal
import TestSupport
import Testing
import TurnLog
import Wire

/// Every byte of a small journal is changed, and every file cut. Either the damage is detected or it has no effect.
@Suite(.serialized, .computing) struct DamageTests {
  let scratch = Scratch(isInMemory: true)

  /// The contents of a journal.
  struct Contents: Equatable {
    var snapshot: [UInt8]?
    /// The effects in flight at the end.
    var effects: EffectsInFlight
    var turns: [LoggedTurn]
    var sessions: [LoggedSession]
    var isRecovered: Bool

    init(_ directory: String) throws(LogError) {
      let history = try JournalHistory.reading(directory)
      (snapshot, effects) = (history.snapshot?.bytes, history.snapshot?.effects ?? EffectsInFlight())
      sessions = history.sessions
      turns = try history.turns(from: 1)
      var replayed: [UInt64] = []
      while let turn = try history.next() {
        replayed.append(turn.position)
        effects.apply(turn.effects)
      }
      isRecovered = replayed.last ?? history.snapshot?.position == history.tail
    }
  }

  /// Reads damaged files in a separate directory.
  private func reading(_ files: [String: [UInt8]]) throws(LogError) -> Contents {
    let directory = scratch.path + "/damaged"
    scratch.remove(directory)
    mkdir(directory, 0o700)
    for (name, bytes) in files { Scratch.write(bytes, to: "\(directory)/\(name)") }
    return try Contents(directory)
  }

  private func files(_ directory: String, _ names: [String]) -> [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: names.map { ($0, Scratch.read("\(directory)/\($0)")) })
  }

  /// Returns the files of a closed journal with two snapshots and some turns.
  private func closedJournal() throws -> [String: [UInt8]] {
    let opened = try Opened(scratch.path + "/whole") { $0.pageSize = 512 }
    opened.save(snapshot(at: 0, count: 300))
    opened.store(1...3)
    opened.save(snapshot(at: 2, count: 500))
    opened.store(4...8)
    opened.journal.close()
    return files(scratch.path + "/whole", ["journal.db", "journal.tail"])
  }

  /// Returns the files of a journal with several commits, as left by a crash.
  ///
  /// - Parameter extensionPages: The number of pages by which the file of the log is extended.
  private func openJournal(extensionPages: Int = 0) throws -> [String: [UInt8]] {
    let opened = try Opened(scratch.path + "/open") { ($0.pageSize, $0.extensionPages) = (512, extensionPages) }
    opened.save(snapshot(at: 0, count: 100))
    for position in 1...4 as ClosedRange<UInt64> { opened.store(position...position) }
    let files = files(scratch.path + "/open", ["journal.db", "journal.db-wal", "journal.tail"])
    opened.journal.close()
    return files
  }

  @Test func everyByteOfTheDatabaseMatters() throws {
    var files = try closedJournal()
    let database = try #require(files["journal.db"])
    let whole = try reading(files)
    #expect(whole.turns == turns(1...8) && whole.snapshot == stateBytes(at: 2, count: 500))
    #expect(whole.effects == effects(at: 8))
    var detected = 0
    for index in database.indices {
      var damaged = database
      damaged[index] ^= index.isMultiple(of: 2) ? 0xff : 1 << (index % 8)
      files["journal.db"] = damaged
      do throws(LogError) {
        var contents = try reading(files)
        // The older of the two snapshots is followed by the same history.
        if contents.snapshot == stateBytes(at: 0, count: 300) { contents.snapshot = whole.snapshot }
        #expect(contents == whole, "byte \(index)")
      } catch {
        detected += 1
        #expect(error.soundRevision ?? 0 <= 4, "byte \(index): \(error)")
      }
    }
    #expect(detected > 0)
  }

  @Test func aDatabaseThatWasCutIsNoticed() throws {
    var files = try closedJournal()
    let database = try #require(files["journal.db"])
    let whole = try reading(files)
    for count in stride(from: 0, to: database.count, by: 61) {
      files["journal.db"] = Array(database.prefix(count))
      guard let contents = try? reading(files) else { continue }
      #expect(contents == whole, "cut to \(count)")
    }
    for (name, bytes) in [("journal.tail", [UInt8]())] {
      files["journal.db"] = database
      files[name] = bytes
      #expect(try reading(files) == whole)
    }
  }

  @Test func everyByteOfTheWriteAheadLogMatters() throws {
    var files = try openJournal(extensionPages: 8)
    let log = try #require(files["journal.db-wal"])
    #expect(log.suffix(512) == [UInt8](repeating: 0, count: 512)[...], "the extension is damaged as well")
    let whole = try reading(files)
    #expect(whole.turns == turns(1...4))
    var last = whole
    last.turns.removeLast()
    last.sessions = []
    let tail = files.removeValue(forKey: "journal.tail")
    for index in log.indices {
      var damaged = log
      damaged[index] ^= index.isMultiple(of: 2) ? 0xff : 1 << (index % 8)
      files["journal.db-wal"] = damaged
      do throws(LogError) {
        var contents = try reading(files)
        if contents != whole {
          // As if the last commit had been interrupted.
          contents.sessions = []
          #expect(contents == last, "byte \(index)")
          files["journal.tail"] = tail
          #expect(throws: LogError.self, "byte \(index)") { try reading(files) }
          files["journal.tail"] = nil
        }
      } catch {
        #expect(error.problem == .damaged || error.problem == .storage, "byte \(index): \(error)")
      }
    }
  }

  @Test func aWriteAheadLogThatWasCutIsNoticed() throws {
    var files = try openJournal()
    let log = try #require(files["journal.db-wal"])
    for count in stride(from: 0, to: log.count - 1, by: 53) {
      files["journal.db-wal"] = Array(log.prefix(count))
      let error = #expect(throws: LogError.self, "cut to \(count)") { try reading(files) }
      #expect(error?.problem == .damaged)
    }
    files["journal.db-wal"] = nil
    #expect(throws: LogError.self) { try reading(files) }
  }

  @Test func aMissingDatabaseIsNoNewHistory() throws {
    var files = try closedJournal()
    files["journal.db"] = nil
    let error = #expect(throws: LogError.self) { try reading(files) }
    #expect(error?.description.contains("journal.db is missing or empty, but revision 4 was stored") == true)
  }

  @Test func anOlderCopyOfTheDatabaseIsRefused() throws {
    let opened = try Opened(scratch.path + "/whole")
    opened.store(1...4)
    opened.journal.close()
    let old = Scratch.read(scratch.path + "/whole/journal.db")
    let again = try Opened(scratch.path + "/whole")
    again.store(5...8)
    again.journal.close()
    Scratch.write(old, to: scratch.path + "/whole/journal.db")
    let error = #expect(throws: LogError.self) { try Opened(scratch.path + "/whole") }
    #expect(error?.problem == .damaged && error?.soundRevision == 2)
    #expect(error?.description.contains("ends with revision 2, but revision 4 was stored") == true)
  }

  /// Its clients may have seen other turns behind the last one of the backup.
  @Test func aRestoredBackupIsAnotherHistory() throws {
    let directory = scratch.path + "/whole"
    let opened = try Opened(directory)
    #expect(opened.journal.epoch == opened.history.epoch)
    opened.save(snapshot(at: 0))
    opened.store(1...4)
    opened.journal.close()
    let backup = Scratch.read(directory + "/journal.db")
    let again = try Opened(directory)
    #expect(again.journal.epoch == opened.journal.epoch)
    again.store(5...8)
    again.journal.close()

    Scratch.write(backup, to: directory + "/journal.db")
    unlink(directory + "/journal.db-wal")
    unlink(directory + "/journal.tail")
    let restored = try Opened(directory)
    let epoch = restored.journal.epoch
    #expect(epoch != opened.journal.epoch && restored.history.epoch == epoch)
    #expect(try restored.history.turns(from: 1) == turns(1...4))
    restored.store(5...6)
    // From now on it keeps its epoch, also after a crash.
    let copy = scratch.path + "/crashed"
    Scratch.copy(directory, to: copy)
    restored.journal.close()
    for directory in [directory, copy] {
      let last = try Opened(directory)
      #expect(last.journal.epoch == epoch)
      #expect(try last.history.turns(from: 1) == turns(1...6))
      last.journal.close()
      #expect(try JournalTool.verify(directory).isSound)
    }
  }

  /// Ids beyond those that a hub uses, which a start must neither follow nor count on.
  @Test func impossibleIDsOfSnapshotsAreRemovedOrIgnored() throws {
    let directory = scratch.path + "/whole"
    let opened = try Opened(directory)
    opened.save(snapshot(at: 0, count: 300))
    opened.store(1...3)
    opened.journal.close()
    for id in [Int64.max, Int64.max - 1 << 24, Int64.min] {
      execute("INSERT INTO pieces (id, bytes, checksum) VALUES (\(id), x'00', 0)", in: directory)
    }
    for id in [Int64.max, 1 << 40 + 1, 0, Int64.min] {
      execute(
        """
        INSERT INTO snapshots
        SELECT \(id), position, revision, time_ms, turn_checksum, fingerprint, pieces, bytes, hash, complete, checksum
        FROM snapshots WHERE id = 1
        """, in: directory)
    }
    // The rows are removed one by one, between other work.
    var (problems, starts) = (["not started"], 0)
    while !problems.isEmpty, starts < 20 {
      let again = try Opened(directory)
      #expect(again.history.snapshot != nil)
      again.save(snapshot(at: 3, count: 300))
      again.journal.close()
      problems = try JournalTool.verify(directory).problems
      starts += 1
    }
    #expect(problems.isEmpty, "\(problems)")
  }

  /// A torn record is as good as none.
  @Test func aJournalWithoutASoundTailIsAnotherHistory() throws {
    for bytes in [[], [UInt8](repeating: 1, count: 56)] {
      let directory = scratch.path + "/\(bytes.count)"
      let opened = try Opened(directory)
      opened.store(1...2)
      opened.journal.close()
      Scratch.write(bytes, to: directory + "/journal.tail")
      let again = try Opened(directory)
      #expect(again.journal.epoch != opened.journal.epoch)
      again.journal.close()
    }
  }

  @Test func anotherFileIsNoJournal() throws {
    for bytes in [Array("This is a text.".utf8), [UInt8](repeating: 0, count: 4096)] {
      #expect(throws: LogError.self) { try reading(["journal.db": bytes]) }
    }
  }

  @Test func aNewerVersionIsRefused() throws {
    var files = try closedJournal()
    // The user version is in the header of the database, at 60.
    files["journal.db"]?[63] = 7
    let error = #expect(throws: LogError.self) { try reading(files) }
    #expect(error?.problem == .unknownFormat)
    #expect(error?.description.contains("has version 7, and this program reads versions up to 6") == true)
  }

  @Test func aFileIsNoDirectory() throws {
    Scratch.write([], to: scratch.path + "/file")
    let error = #expect(throws: LogError.self) { try Opened(scratch.path + "/file") }
    #expect(error?.description == "\(scratch.path)/file is not a directory; name another state directory")
    let missing = #expect(throws: LogError.self) { try Opened(scratch.path + "/no/state") }
    #expect(
      missing?.description == "cannot create the directory \(scratch.path)/no/state: No such file or directory")
  }
}
