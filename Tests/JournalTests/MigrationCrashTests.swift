import CFaultVFS
import ComposableArchitecture
import HubCore
import Journal
import TestFeatures
import TestSupport
import Testing
import TurnLog
import Wire

@testable import StoreHub

extension VFSTests {
  /// A hub of a new version migrates its journal, and the process is killed or the power fails at every write of it.
  @MainActor @Suite struct MigrationCrashTests {
    let scratch = Scratch(isInMemory: true)
    private let log = Log(program: "test", level: .error, descriptor: -1)
    /// The note makes the snapshot one of several pieces.
    private static let note = String(repeating: "what the ledger says ", count: 60)
    private static let entries = (1...9).map { "entry \($0)" }

    private final class Steps {
      var count = 0
    }

    /// An engine of the new version, whose migration counts how often it runs, and marks its result.
    private func newEngine(_ steps: Steps, mark: Int) -> FeatureEngine<Ledger2, LedgerAction> {
      let migration = Migration(from: Ledger1.self, to: Ledger2.self) { old in
        steps.count += 1
        var state = Ledger2()
        (state.entries, state.note, state.migrations) = (old.entries, old.note, mark)
        guard let total = Int(old.total) else { throw MigrationError("no number") }
        state.total = total
        return state
      }
      return FeatureEngine(initialState: Ledger2(), reducer: Ledger<Ledger2>(), migrations: [migration])
    }

    private func oldEngine() -> FeatureEngine<Ledger1, LedgerAction> {
      FeatureEngine(initialState: Ledger1(), reducer: Ledger<Ledger1>())
    }

    private var oldState: Ledger1 {
      var state = Ledger1()
      (state.total, state.entries, state.note) = ("9", Self.entries, Self.note)
      return state
    }

    private func newState(mark: Int) -> Ledger2 {
      var state = Ledger2()
      (state.total, state.entries, state.note, state.migrations) = (9, Self.entries, Self.note, mark)
      return state
    }

    private func open<State, Action>(
      _ engine: FeatureEngine<State, Action>, _ directory: String, _ vfs: String? = nil
    ) throws(RecordingError) -> Recording {
      var options = JournalOptions()
      (options.vfs, options.pageSize, options.pieceBytes, options.checkpointPages) = (vfs, 512, 400, 8)
      return try Recording.open(
        engine, directory: directory, options, durability: .sync, isReplicated: false, log: log)
    }

    /// Writes the journal of the old version: a snapshot, and turns after it.
    private func writeOldJournal(_ directory: String) throws {
      let engine = oldEngine()
      let recording = try open(engine, directory, "fault")
      var state = Ledger1()
      for position in 1...10 as ClosedRange<UInt64> {
        let before = state
        if position == 1 {
          state.note = Self.note
        } else {
          state.entries.append(Self.entries[Int(position) - 2])
          state.count()
        }
        var encoder = CBOREncoder()
        state.encodeDelta(from: before, to: &encoder)
        recording.turnLog.append([
          LoggedTurn(
            position: position, baseRevision: position - 1, revision: position, time: Int64(position),
            delta: encoder.bytes, sessions: [sampleSession(position % 3, processed: position)])
        ])
      }
      #expect(recording.close() == nil)
    }

    @Test func nothingIsLostAndNothingRunsTwice() async throws {
      faultvfs_reset()
      let directory = scratch.path + "/work"
      try writeOldJournal(directory)
      let sessions = try JournalHistory.reading(directory).sessions
      var disk = CrashDisk(reading: directory)
      check(disk.synced, sessions, "before")

      faultvfs_reset()
      faultvfs_record(directory + "/journal.tail")
      let engine = newEngine(Steps(), mark: 1)
      #expect(try open(engine, directory, "fault").close() == nil)
      #expect(engine.state == newState(mark: 1) && engine.revision == 11)
      let operations = CrashDisk.recorded()

      var random = SplitMix(seed: 42)
      var (last, images, migrated): ([Int32: [UInt8]], Int, Int) = ([:], 0, 0)
      for (index, operation) in operations.enumerated() {
        disk.apply(operation)
        for choice in disk.choices(samples: 2, &random) {
          let files = disk.files(after: choice)
          guard files != last else { continue }
          // Other tests need the main thread too.
          await Task.yield()
          last = files
          if check(files, sessions, "operation \(index) of \(operations.count), \(choice)") { migrated += 1 }
          images += 1
        }
      }
      // Both before and after the turn of the migration was stored.
      #expect(migrated > 10 && images - migrated > 10, "\(migrated) of \(images)")
      faultvfs_reset()
    }

    /// After a way back, the earlier version goes on. What the later one had then is gone, and is no way back for it.
    @Test func thereIsNoWayBackToWhatARepairHasDiscarded() throws {
      faultvfs_reset()
      let directory = scratch.path + "/again"
      try writeOldJournal(directory)
      try #require(try open(newEngine(Steps(), mark: 1), directory).close() == nil)
      #expect(try JournalTool.repair(directory, to: 10)?.revision == 10)
      let engine = oldEngine()
      let recording = try open(engine, directory)
      var state = engine.state
      state.total = "many"
      var encoder = CBOREncoder()
      state.encodeDelta(from: engine.state, to: &encoder)
      recording.turnLog.append([
        LoggedTurn(position: 11, baseRevision: 10, revision: 11, time: 11, delta: encoder.bytes, sessions: [])
      ])
      #expect(recording.close() == nil)
      let error = #expect(throws: RecordingError.self) { try open(newEngine(Steps(), mark: 2), directory) }
      guard case .recovery(_, directory)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }

    /// Starts the programs on the files that a crash has left. Returns true if the migration was stored.
    @discardableResult
    private func check(_ files: [Int32: [UInt8]], _ sessions: [LoggedSession], _ comment: Comment) -> Bool {
      let (new, old) = (scratch.path + "/new", scratch.path + "/old")
      CrashDisk.write(files, to: new, of: scratch)
      CrashDisk.write(files, to: old, of: scratch)
      do {
        let tail = try JournalHistory.reading(new).tail
        #expect(tail == 10 || tail == 11, comment)
        let isMigrated = tail == 11
        try checkGoingBack(old, isMigrated, comment)
        // A stored migration stays. Until its snapshot is stored too, the step runs again on the old state, and its
        // result is given up.
        let state = newState(mark: isMigrated ? 1 : 2)
        let steps = Steps()
        let engine = newEngine(steps, mark: 2)
        try open(engine, new).close()
        #expect(engine.state == state && engine.revision == 11, comment)
        #expect(isMigrated ? steps.count <= 1 : steps.count == 1, comment)
        // Once more, without a crash.
        steps.count = 0
        let again = newEngine(steps, mark: 3)
        try open(again, new).close()
        #expect(again.state == state && again.revision == 11 && steps.count == 0, comment)
        let history = try JournalHistory.reading(new)
        #expect(history.tail == 11 && history.sessions == sessions, comment)
        #expect(history.snapshot?.schema == engine.schema && history.snapshot?.bytes == state.encoded(), comment)
        return isMigrated
      } catch {
        Issue.record("\(comment): \(error)")
        return false
      }
    }

    /// The old program continues as long as the migration was not stored, and after a repair.
    private func checkGoingBack(_ directory: String, _ isMigrated: Bool, _ comment: Comment) throws {
      if isMigrated {
        let error = #expect(throws: RecordingError.self, comment) { try open(oldEngine(), directory) }
        guard case .laterVersion(.incompatible(let difference), lastOwnRevision: 10, directory)? = error else {
          Issue.record("\(comment): \(String(describing: error))")
          return
        }
        #expect(difference.contains("total"), comment)
        #expect(try JournalTool.repair(directory, to: 10)?.revision == 10, comment)
      }
      let engine = oldEngine()
      try open(engine, directory).close()
      #expect(engine.state == oldState && engine.revision == 10, comment)
    }
  }
}
