import CFaultVFS
import Glibc
import Journal
import TestSupport
import Testing
import TurnLog
import Wire

extension VFSTests {
  /// The power fails at every point of a workload, and any unsynced writes are lost or torn.
  @Suite struct CrashTests {
    let scratch = Scratch(isInMemory: true)

    /// Records the writes of a journal: turns in several commits, snapshots, checkpoints and closing.
    private func record() throws -> (operations: [faultvfs_operation], turns: [LoggedTurn]) {
      faultvfs_reset()
      let directory = scratch.path + "/work"
      faultvfs_record(directory + "/journal.tail")
      let (journal, events) = try open(directory) { ($0.checkpointPages, $0.sessionTurns) = (8, 3) }
      for end in [1, 2, 5, 9, 14] as [UInt64] {
        let first = journal.tail + 1
        journal.append(turns(first...end))
        events.waitForStored(end)
        if end == 2 || end == 9 {
          journal.save(snapshot(at: end, count: 900))
          events.wait { $0.contains(.saved(revision: end / 2)) }
        }
      }
      journal.close()
      #expect(journal.statistics.checkpoints > 0)
      return (CrashDisk.recorded(), turns(1...14))
    }

    @Test func nothingAcknowledgedIsLost() throws {
      let (operations, turns) = try record()
      var random = SplitMix(seed: 42)
      var disk = CrashDisk()
      var acknowledged: Int64 = 0
      var images = 0
      for (index, operation) in operations.enumerated() {
        disk.apply(operation)
        if operation.kind == Int32(FAULTVFS_MARK.rawValue) { acknowledged = operation.offset }
        for choice in disk.choices(&random) {
          check(disk.files(after: choice), turns, acknowledged: acknowledged, "operation \(index), \(choice)")
          images += 1
        }
      }
      #expect(operations.count > 100 && images > 1000)
      faultvfs_reset()
    }

    /// Returns the files after a crash in each commit of several frames. The first frame is lost.
    private func interruptedCommits(_ operations: [faultvfs_operation]) -> [[Int32: [UInt8]]] {
      var (disk, images): (CrashDisk, [[Int32: [UInt8]]]) = (CrashDisk(), [])
      for operation in operations {
        let frames = disk.pending.indices.filter { disk.pending[$0].file == Int32(FAULTVFS_WAL.rawValue) }
        if operation.kind == Int32(FAULTVFS_SYNC.rawValue), frames.count > 6 {
          var files = disk.synced
          for (index, write) in disk.pending.enumerated() where index != frames[0] {
            CrashDisk.apply(write, to: &files)
          }
          images.append(files)
        }
        disk.apply(operation)
      }
      return images
    }

    /// A hub continues after a crash, and the power fails again.
    @Test func aSecondCrashLosesNothing() throws {
      var random = SplitMix(seed: 42)
      let images = interruptedCommits(try record().operations)
      #expect(images.count > 4)
      for files in images.prefix(3) {
        let directory = scratch.path + "/again"
        CrashDisk.write(files, to: directory, of: scratch)
        faultvfs_reset()
        faultvfs_record(directory + "/journal.tail")
        let (journal, events) = try open(directory) { $0.checkpointPages = 24 }
        let first = journal.tail
        for position in first + 1...first + 2 {
          journal.append([turn(position)])
          events.waitForStored(position)
        }
        journal.close()
        let operations = CrashDisk.recorded()
        crash(CrashDisk(synced: files), during: operations, turns(1...first + 2), acknowledged: Int64(first), &random)
      }
      faultvfs_reset()
    }

    /// The disk is full at one of the writes of a snapshot; then there is room again, and the power fails.
    @Test func aFullDiskAndThenACrashLoseNothing() throws {
      var random = SplitMix(seed: 42)
      var (call, failures): (Int64, Int) = (0, 0)
      while true {
        call += 4
        let directory = scratch.path + "/full-\(call)"
        faultvfs_reset()
        faultvfs_record(directory + "/journal.tail")
        let (journal, events) = try open(directory) { _ in }
        for position in 1...2 as ClosedRange<UInt64> {
          journal.append([turn(position)])
          events.waitForStored(position)
        }
        let start = Int(faultvfs_operations())
        faultvfs_fail(faultvfs_calls() + call, 0, 1)
        journal.save(snapshot(at: 2, count: 900))
        events.wait { events in
          events.contains {
            switch $0 {
            case .saved, .snapshotFailed, .failed: true
            default: false
            }
          }
        }
        let isUntouched = faultvfs_failures() == 0
        faultvfs_fail(0, 0, 0)
        // Another call than a write may have failed.
        if events.failures.isEmpty {
          for position in 3...4 as ClosedRange<UInt64> {
            journal.append([turn(position)])
            events.waitForStored(position)
          }
        }
        journal.close()
        if isUntouched { break }
        guard events.failures.isEmpty else { continue }
        failures += 1
        let operations = CrashDisk.recorded()
        var disk = CrashDisk()
        for operation in operations[..<start] { disk.apply(operation) }
        crash(disk, during: Array(operations[start...]), turns(1...4), acknowledged: 2, &random)
      }
      #expect(failures > 3)
      faultvfs_reset()
    }

    /// Opens a journal whose stored turns are marked in the record.
    private func open(
      _ directory: String, _ configure: (inout JournalOptions) -> Void
    ) throws -> (Journal, Events) {
      var options = JournalOptions()
      (options.vfs, options.pageSize, options.pieceBytes) = ("fault", 512, 400)
      configure(&options)
      let events = Events()
      let (journal, _) = try Journal.open(directory: directory, options: options) {
        if case .stored(let position) = $0 { faultvfs_mark(Int64(position)) }
        events.handler($0)
      }
      journal.begin(schema: schema)
      return (journal, events)
    }

    /// Lets the power fail after each operation.
    private func crash(
      _ disk: CrashDisk, during operations: [faultvfs_operation], _ turns: [LoggedTurn], acknowledged: Int64,
      _ random: inout SplitMix
    ) {
      var (disk, acknowledged) = (disk, acknowledged)
      for (index, operation) in operations.enumerated() {
        disk.apply(operation)
        if operation.kind == Int32(FAULTVFS_MARK.rawValue) { acknowledged = operation.offset }
        for choice in disk.choices(samples: 2, &random) {
          check(disk.files(after: choice), turns, acknowledged: acknowledged, "operation \(index), \(choice)")
        }
      }
    }

    private func check(
      _ files: [Int32: [UInt8]], _ turns: [LoggedTurn], acknowledged: Int64, _ comment: @autoclosure () -> Comment
    ) {
      let directory = scratch.path + "/crashed"
      CrashDisk.write(files, to: directory, of: scratch)
      do throws(LogError) {
        let history = try JournalHistory.reading(directory)
        let read = try history.turns(from: 1)
        #expect(read.count >= acknowledged, comment())
        #expect(read == Array(turns.prefix(read.count)), comment())
        if let snapshot = history.snapshot {
          #expect(snapshot.bytes == stateBytes(at: snapshot.position, count: 900), comment())
        }
        while try history.next() != nil {}
        #expect(history.tail == UInt64(read.count), comment())
        #expect(history.sessions == lastSessions(read), comment())
      } catch {
        Issue.record("\(comment()): \(error)")
      }
    }
  }
}
