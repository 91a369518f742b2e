import Glibc
import Journal
import Testing
import TurnLog

/// Repairs of journals, also interrupted and cancelled ones.
@Suite(.serialized) struct RepairTests {
  let scratch = Scratch(isInMemory: true)

  @Test func aJournalIsCutToAnyRevision() throws {
    for revision in 0...6 as ClosedRange<UInt64> {
      scratch.remove(scratch.path)
      mkdir(scratch.path, 0o700)
      try scratch.makeJournal()
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
    let opened = try Opened(scratch.path + "/a") { $0.extensionPages = 0 }
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
      let opened = try Opened(scratch.path + "/b") { $0.extensionPages = 0 }
      opened.save(snapshot(at: 0))
      for end in [4, 8, 12] as [UInt64] { opened.store((end - 3)...end) }
      Scratch.copy(scratch.path + "/b", to: directory)
      opened.journal.close()
      var log = Scratch.read(directory + "/journal.db-wal")
      log.removeLast(100)
      Scratch.write(log, to: directory + "/journal.db-wal")
    } else {
      try scratch.makeJournal()
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
    try scratch.makeJournal()
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
    try scratch.makeJournal()
    let tail = scratch.path + "/journal.tail"
    #expect(unlink(tail) == 0 && mkdir(tail, 0o700) == 0)
    let error = #expect(throws: LogError.self) { try JournalReader(scratch.path) }
    #expect(error?.problem == .storage)
    #expect(throws: LogError.self) { try JournalTool.verify(scratch.path) }
  }

  /// Also if copies of earlier repairs were removed.
  @Test func aCompletedRepairNamesItsCopy() throws {
    let directory = scratch.path
    try scratch.makeJournal()
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
    try scratch.makeJournal()
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
    try scratch.makeJournal()
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
}
