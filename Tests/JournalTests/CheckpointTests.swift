import CFaultVFS
import Dispatch
import Foundation
import Journal
import TestSupport
import Testing
import TurnLog
import Wire

extension VFSTests {
  /// The write-ahead log is copied into the database beside the commits of turns.
  @Suite struct CheckpointTests {
    let scratch = Scratch(isInMemory: true)

    private func open(
      _ name: String = "journal", checkpointPages: Int, _ configure: (inout JournalOptions) -> Void = { _ in }
    ) throws -> (Journal, Events) {
      faultvfs_reset()
      var options = JournalOptions()
      (options.vfs, options.pageSize, options.checkpointPages) = ("fault", 512, checkpointPages)
      configure(&options)
      let events = Events()
      let (journal, _) = try Journal.open(
        directory: scratch.path + "/" + name, options: options, onEvent: events.handler)
      journal.begin(schema: schema)
      return (journal, events)
    }

    /// Appends turns one by one, each after the one before is stored.
    private func append(_ positions: ClosedRange<UInt64>, to journal: Journal, _ events: Events) {
      for position in positions {
        journal.append([turn(position)])
        events.waitForStored(position)
      }
    }

    @Test func aSlowSyncOfTheDatabaseDoesNotDelayTurns() throws {
      let (journal, events) = try open(checkpointPages: 16)
      faultvfs_hold_syncs(Int32(FAULTVFS_DATABASE.rawValue))
      append(1...20, to: journal, events)
      #expect(faultvfs_wait_for_held(60) == 1)
      append(21...60, to: journal, events)
      #expect(journal.statistics.checkpoints == 0)
      faultvfs_hold_syncs(-1)
      journal.close()
      #expect(journal.statistics.checkpoints >= 1)
      #expect(events.failures.isEmpty)
      let history = try JournalHistory.reading(scratch.path + "/journal")
      #expect(history.revision == turns(1...60).last?.revision)
      faultvfs_reset()
    }

    /// Turns that follow each other without a pause leave no moment at which all of the log is copied.
    @Test func theLogDoesNotGrowWhileTurnsAreStoredWithoutAPause() throws {
      var found: [String] = []
      // A pause of the thread that copies makes it grow, so it is tried again.
      for attempt in 1...20 {
        let (journal, events) = try open("journal\(attempt)", checkpointPages: 16)
        faultvfs_delay_syncs(200)
        append(1...50, to: journal, events)
        var largest = 0
        for first in stride(from: 51 as UInt64, to: 800, by: 50) {
          append(first...first + 49, to: journal, events)
          largest = max(largest, journal.fileBytes.log)
        }
        let checkpoints = journal.statistics.checkpoints
        journal.close()
        #expect(events.failures.isEmpty)
        faultvfs_reset()
        // About 3,000 pages were written.
        if checkpoints > 4, largest < 1500 * (512 + 24) { return }
        found.append("\(checkpoints) checkpoints, \(largest) bytes")
      }
      Issue.record("\(found)")
    }

    /// A sync of the log that begins during a copy waits for all that the copy has written and not synced.
    @Test func aCopyIsSyncedInSteps() throws {
      let step = 4 * 512
      let (journal, events) = try open(checkpointPages: 256) { $0.copiedBytesPerSync = step }
      faultvfs_hold_syncs(Int32(FAULTVFS_DATABASE.rawValue))
      append(1...20, to: journal, events)
      faultvfs_record(scratch.path + "/journal/journal.tail")
      append(21...300, to: journal, events)
      #expect(faultvfs_wait_for_held(60) == 1)
      for _ in 1...12 {
        faultvfs_release_held()
        #expect(faultvfs_wait_for_held(60) == 1)
      }
      let operations = (0..<faultvfs_operations()).map { faultvfs_operation_at($0) }
      faultvfs_hold_syncs(-1)
      journal.close()
      var (unsynced, most, all) = (0, 0, 0)
      for operation in operations where operation.file == Int32(FAULTVFS_DATABASE.rawValue) {
        switch Int(operation.kind) {
        case Int(FAULTVFS_WRITE.rawValue):
          unsynced += Int(operation.count)
          all += Int(operation.count)
          most = max(most, unsynced)
        case Int(FAULTVFS_SYNC.rawValue): unsynced = 0
        default: break
        }
      }
      #expect(most == step)
      #expect(all >= 8 * step)
      faultvfs_reset()
    }

    /// The writer copies no more than a few pages itself, while turns wait.
    @Test func theRestOfTheLogIsCopiedBesideTheTurns() throws {
      let (journal, events) = try open(checkpointPages: 128)
      faultvfs_hold_syncs(Int32(FAULTVFS_DATABASE.rawValue))
      append(1...200, to: journal, events)
      #expect(faultvfs_wait_for_held(60) == 1)
      // If all of them were copied, the log would begin again with the next turn.
      append(201...260, to: journal, events)
      // The second copy or the third one is held at the end, each with two syncs.
      for first in stride(from: 261 as UInt64, to: 269, by: 2) {
        faultvfs_release_held()
        #expect(faultvfs_wait_for_held(60) == 1)
        append(first...first + 1, to: journal, events)
      }
      #expect(journal.statistics.checkpoints == 0)
      faultvfs_hold_syncs(-1)
      journal.close()
      #expect(events.failures.isEmpty)
      faultvfs_reset()
    }

    /// The frames of the log that are in the database, and all of them, by the index of the log
    /// (https://www.sqlite.org/walformat.html, 2.1).
    private func copiedFrames() throws -> (copied: UInt32, all: UInt32) {
      let index = try Data(contentsOf: URL(fileURLWithPath: scratch.path + "/journal/journal.db-shm"))
      func number(at offset: Int) -> UInt32 {
        index[offset..<offset + 4].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
      }
      return (number(at: 96), number(at: 16))
    }

    /// The last pages of a turn whose transaction ends during a copy stay in the log, as for a reader. Nobody needs them
    /// any more when the copy ends, so the next one follows it.
    @Test func aTurnThatEndsDuringACopyIsCopiedSoonAfterIt() throws {
      let (journal, events) = try open(checkpointPages: 64)
      faultvfs_cross_checkpoint()
      var last: UInt64 = 0
      while faultvfs_wait_for_crossing(0) == 0, last < 1000 {
        append(last + 1...last + 1, to: journal, events)
        last += 1
      }
      #expect(faultvfs_wait_for_crossing(60) == 1)
      let deadline = Date(timeIntervalSinceNow: 60)
      while journal.statistics.checkpoints == 0, Date() < deadline { usleep(1000) }
      let frames = try copiedFrames()
      #expect(frames.copied == frames.all && frames.all > 0)
      journal.close()
      #expect(events.failures.isEmpty)
      faultvfs_reset()
    }

    @Test func aSnapshotLeavesTheDiskToACopy() throws {
      let (journal, events) = try open(checkpointPages: 16) { $0.pieceBytes = 100 }
      faultvfs_hold_syncs(Int32(FAULTVFS_DATABASE.rawValue))
      append(1...20, to: journal, events)
      #expect(faultvfs_wait_for_held(60) == 1)
      let fifthPiece = DispatchSemaphore(value: 0)
      let pieces = snapshot(at: 20, count: 5000).makePieces
      journal.save(
        LogSnapshot(position: 20, revision: 10) {
          let next = pieces()
          var count = 0
          return { limit in
            count += 1
            if count == 5 { fifthPiece.signal() }
            return next(limit)
          }
        })
      // Without turns, there are no more than one or two.
      #expect(fifthPiece.wait(timeout: .now() + 0.2) == .timedOut)
      // Between turns it goes on all the same, since they may be stored without a pause.
      var last: UInt64 = 20
      while !events.all.contains(.saved(revision: 10)), last < 20_000, events.failures.isEmpty {
        append(last + 1...last + 1, to: journal, events)
        last += 1
      }
      #expect(events.all.contains(.saved(revision: 10)) && journal.statistics.checkpoints == 0)
      faultvfs_hold_syncs(-1)
      journal.close()
      #expect(events.failures.isEmpty)
      faultvfs_reset()
    }

    @Test func aFailureToCopyTheLogEndsTheJournal() throws {
      let (journal, events) = try open(checkpointPages: 16)
      faultvfs_hold_syncs(Int32(FAULTVFS_DATABASE.rawValue))
      append(1...20, to: journal, events)
      #expect(faultvfs_wait_for_held(60) == 1)
      // The sync itself was counted before it was held, so the next call is one of the writer's.
      let stored = events.stored
      faultvfs_fail(faultvfs_calls() + 1, 1, 0)
      faultvfs_hold_syncs(-1)
      events.wait { events in events.contains { if case .failed = $0 { true } else { false } } }
      journal.close()
      #expect(events.failures.count == 1 && events.stored == stored)
      #expect(events.failures.first?.soundRevision == stored / 2)
      faultvfs_reset()
    }
  }
}
