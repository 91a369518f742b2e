import Glibc
import Journal
import Testing
import TurnLog
import Wire

/// Stored data can be read, in the same process and the next one.
@Suite(.serialized) struct RoundTripTests {
  let scratch = Scratch()

  @Test func aNewJournalIsEmpty() throws {
    let opened = try Opened(scratch.path + "/state")
    #expect(opened.history.isNew)
    #expect(opened.history.snapshot == nil)
    #expect(try opened.history.rest().isEmpty)
    #expect(opened.journal.tail == 0)
    opened.journal.close()
    #expect(opened.events.all.isEmpty)
    var status = stat()
    stat(scratch.path + "/state", &status)
    #expect(status.st_mode & 0o777 == 0o700)
    for file in Scratch.files(scratch.path + "/state") {
      stat("\(scratch.path)/state/\(file)", &status)
      #expect(status.st_mode & 0o777 == 0o600, "\(file)")
    }
  }

  @Test func turnsAreReadBackAsTheyWere() throws {
    let opened = try Opened(scratch.path)
    opened.store(1...200)
    #expect(opened.journal.tail == 200)
    #expect(try opened.journal.read(from: 1, byteLimit: .max) == turns(1...200))
    #expect(try opened.journal.read(from: 150, byteLimit: .max) == turns(150...200))
    #expect(try opened.journal.read(from: 7, byteLimit: 1) == turns(7...7))
    #expect(try opened.journal.read(from: 201, byteLimit: .max).isEmpty)
    #expect(try opened.journal.position(of: 50) == 101)
    #expect(try opened.journal.position(of: 1000) == 200)
    #expect(try opened.journal.position(of: 0) == 1)
    opened.journal.close()

    let again = try Opened(scratch.path)
    let history = again.history
    #expect(!history.isNew && history.wasClosed && history.notes.isEmpty)
    #expect(history.epoch == opened.journal.epoch)
    #expect(history.tail == 200 && history.revision == 100 && history.time == 1_000_200)
    #expect(history.progress == (0, 200))
    let read = try history.rest()
    #expect(history.progress == (200, 200))
    #expect(zip(read, turns(1...200)).allSatisfy { $0.isSame(as: $1) } && read.count == 200)
    #expect(history.sessions == [198, 199, 200].map { sampleSession($0 % 3, processed: $0) })
    again.store(201...210)
    #expect(try again.journal.read(from: 199, byteLimit: .max) == turns(199...210))
  }

  /// A file that was removed can still be written to, and its contents are lost when the process ends.
  @Test(
    arguments: [
      ("journal.db", false), ("journal.db", true), ("journal.db-wal", false), ("journal.tail", true), ("", true),
    ])
  func aFileThatIsLostWhileInUseIsNoticed(name: String, isMoved: Bool) throws {
    let directory = scratch.path + "/state"
    let opened = try Opened(directory)
    opened.store(1...4)
    let file = name.isEmpty ? directory : "\(directory)/\(name)"
    #expect((isMoved ? rename(file, scratch.path + "/moved") : unlink(file)) == 0)
    opened.journal.append(turns(5...6))
    opened.events.waitForStored(6)
    #expect(opened.events.stored == 4)
    let failure = try #require(opened.events.failures.first)
    #expect(failure.soundRevision == 2)
    #expect(failure.description.contains("\(name) was removed, moved away or replaced while the hub used it"))
    opened.journal.close()
  }

  /// Without further turns, it is noticed at the end.
  @Test func aFileThatIsLostBeforeTheEndIsNoticed() throws {
    let opened = try Opened(scratch.path)
    opened.store(1...4)
    Scratch.write(Scratch.read(scratch.path + "/journal.db"), to: scratch.path + "/copy")
    #expect(rename(scratch.path + "/copy", scratch.path + "/journal.db") == 0)
    opened.journal.close()
    #expect(opened.events.failures.map(\.soundRevision) == [2])
  }

  @Test func whatWasNotClosedIsThere() throws {
    let opened = try Opened(scratch.path + "/a")
    opened.store(1...50)
    Scratch.copy(scratch.path + "/a", to: scratch.path + "/b")
    opened.journal.close()
    let again = try Opened(scratch.path + "/b")
    #expect(!again.history.wasClosed)
    #expect(again.history.notes.count == 1)
    #expect(try again.history.rest().count == 50)
    again.store(51...60)
    again.journal.close()
  }

  @Test func recoveryBeginsWithTheNewestSnapshot() throws {
    let opened = try Opened(scratch.path)
    opened.save(snapshot(at: 0))
    opened.store(1...20)
    opened.save(snapshot(at: 20))
    opened.store(21...25)
    opened.journal.close()
    #expect(opened.events.failures.isEmpty)
    let history = try Opened(scratch.path).history
    #expect(history.snapshot?.position == 20 && history.snapshot?.revision == 10)
    #expect(history.snapshot?.bytes == stateBytes(at: 20))
    #expect(history.snapshot?.schema == schema)
    #expect(try history.rest().map(\.position) == [21, 22, 23, 24, 25])
  }

  @Test func eachTurnHasTheSchemaItWasWrittenWith() throws {
    var opened = try Opened(scratch.path)
    opened.store(1...4)
    opened.journal.close()
    opened = try Opened(scratch.path)
    opened.journal.begin(schema: newerSchema)
    opened.store(5...8)
    opened.save(snapshot(at: 6))
    opened.store(9...9)
    opened.journal.close()
    let history = try Opened(scratch.path).history
    #expect(history.schemas.map(\.schema) == [schema, newerSchema])
    #expect(history.schemas.map(\.firstPosition) == [1, 5])
    #expect(history.snapshot?.schema == newerSchema)
    #expect(try history.rest().map(\.schema) == [1, 1, 1])
  }

  @Test func waitingTurnsAreOneCommit() throws {
    let opened = try Opened(scratch.path) { $0.commits = .async(window: .seconds(3600)) }
    for position in 1...500 as ClosedRange<UInt64> { opened.journal.append([turn(position)]) }
    #expect(opened.journal.waitingBytes > 0)
    opened.journal.close()
    #expect(opened.events.all == [.stored(upTo: 500)])
    #expect(opened.journal.statistics.commits == 1)
    #expect(opened.journal.statistics.turns == 500)
    #expect(try Opened(scratch.path).history.rest().count == 500)
  }

  /// Otherwise a hub, which pauses its clients at 1,024 turns, would handle only 10,000 a second.
  @Test func manyTurnsEndTheWindowEarly() throws {
    let opened = try Opened(scratch.path) { $0.commits = .async(window: .seconds(3600)) }
    for position in 1...600 as ClosedRange<UInt64> { opened.journal.append([turn(position)]) }
    opened.events.wait { events in events.contains { if case .stored = $0 { true } else { false } } }
    // The schema is one of the 512 entries.
    #expect(opened.events.stored >= 511)
    opened.journal.close()
    #expect(opened.events.stored == 600)
  }

  @Test func aTurnElsewhereIsAConflict() throws {
    let opened = try Opened(scratch.path)
    opened.store(1...3)
    opened.journal.append(turns(4...4) + turns(6...7))
    opened.events.wait { $0.contains(.conflict(position: 6, tail: 4)) }
    opened.journal.append(turns(5...5))
    opened.journal.close()
    #expect(opened.events.stored == 4)
    #expect(opened.events.all.last == .conflict(position: 6, tail: 4))
    #expect(try Opened(scratch.path).history.rest().count == 4)
  }

  @Test func aTurnOfAnotherRevisionIsAConflict() throws {
    let opened = try Opened(scratch.path)
    var other = turn(1)
    (other.baseRevision, other.revision) = (4, 5)
    opened.journal.append([other])
    opened.journal.close()
    #expect(opened.events.all == [.conflict(position: 1, tail: 0)])
  }

  @Test func theTimeOfTheJournalNeverDecreases() throws {
    let opened = try Opened(scratch.path)
    opened.journal.append([turn(1, time: 5000), turn(2, time: 4000), turn(3, time: 6000)])
    opened.journal.close()
    #expect(opened.journal.statistics.clockSteps == 1)
    #expect(try Opened(scratch.path).history.rest().map(\.time) == [5000, 5000, 6000])
  }

  @Test func aSecondHubIsRefused() throws {
    let opened = try Opened(scratch.path)
    let error = #expect(throws: LogError.self) { try Opened(scratch.path) }
    #expect(error?.problem == .inUse)
    #expect(error?.description.contains("is in use by process \(getpid())") == true)
    opened.journal.close()
  }

  /// Turns come from other nodes of a cluster, too, and the numbers after these ended the hubs that followed.
  @Test func turnsWithImpossibleNumbersAreRefused() throws {
    let id = SessionID(high: 1, low: 2)
    let session = LoggedSession(id: id, user: 1, process: 2, name: "c", processed: 3, connection: 4)
    let turn = LoggedTurn(position: 1, baseRevision: 2, revision: 3, time: 4, sessions: [session])
    #expect(try LoggedTurn(decoding: turn.encoded().span.bytes) == turn)
    func expectRefusal(_ change: (inout LoggedTurn) -> Void) {
      var changed = turn
      change(&changed)
      #expect(throws: WireError.self, "\(changed)") { try LoggedTurn(decoding: changed.encoded().span.bytes) }
    }
    for number in [UInt64.max, 1 << 62] {
      expectRefusal { $0.position = number }
      expectRefusal { $0.revision = number }
      expectRefusal { ($0.baseRevision, $0.revision) = (number, number) }
      expectRefusal { $0.sessions[0].processed = number }
      expectRefusal { $0.sessions[0].connection = number }
    }
    // The versions of the state are kept in order.
    expectRefusal { $0.revision = 1 }
    let actions = LoggedActions(origin: .session(id, first: 1), count: 1, actions: [0])
    #expect(try LoggedActions(decoding: actions.encoded().span.bytes) == actions)
    for (first, count) in [(UInt64.max, 1), (1, 2), (1, .max)] as [(UInt64, UInt64)] {
      let changed = LoggedActions(origin: .session(id, first: first), count: count, actions: [0])
      #expect(throws: WireError.self) { try LoggedActions(decoding: changed.encoded().span.bytes) }
    }
  }
}
