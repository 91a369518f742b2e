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

    private static let names = ["journal.db", "journal.db-wal", "journal.db-journal", "journal.tail"]

    /// The files of a disk: synced contents, and the later writes.
    private struct Disk {
      var synced: [Int32: [UInt8]] = [:]
      var pending: [faultvfs_operation] = []

      mutating func apply(_ operation: faultvfs_operation) {
        switch Int(operation.kind) {
        case Int(FAULTVFS_SYNC.rawValue):
          for write in pending where write.file == operation.file { Self.apply(write, to: &synced) }
          pending.removeAll { $0.file == operation.file }
        case Int(FAULTVFS_DELETE.rawValue):
          pending.removeAll { $0.file == operation.file }
          synced[operation.file] = nil
        case Int(FAULTVFS_MARK.rawValue): break
        default: pending.append(operation)
        }
      }

      static func apply(_ write: faultvfs_operation, bytes count: Int64? = nil, to files: inout [Int32: [UInt8]]) {
        var content = files[write.file] ?? []
        if write.kind == Int32(FAULTVFS_TRUNCATE.rawValue) {
          content = Array(content.prefix(Int(write.offset)))
        } else {
          let (start, count) = (Int(write.offset), Int(count ?? write.count))
          let missing = start + count - content.count
          if missing > 0 { content += [UInt8](repeating: 0, count: missing) }
          for index in 0..<count { content[start + index] = write.bytes?[index] ?? 0 }
        }
        files[write.file] = content
      }
    }

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
      return (recorded(), turns(1...14))
    }

    /// Selections of writes that reached the disk: none, all, all but one, and random ones, with the length of the
    /// last.
    private func choices(
      _ pending: [faultvfs_operation], samples: Int = 4, _ random: inout SplitMix
    ) -> [[(Int, Int64?)]] {
      let all = pending.indices.map { ($0, Int64?.none) }
      guard !pending.isEmpty else { return [[]] }
      var choices: [[(Int, Int64?)]] = [[], all]
      for _ in 1..<samples {
        let missing = Int.random(in: pending.indices, using: &random)
        choices.append(all.filter { $0.0 != missing })
      }
      for _ in 0..<samples { choices.append(all.filter { _ in Bool.random(using: &random) }) }
      // Torn: sectors of 512 bytes reach the disk whole or not at all.
      let torn = Int.random(in: pending.indices, using: &random)
      let sectors = pending[torn].count / 512
      if sectors > 0 { choices.append(all.map { $0.0 == torn ? (torn, 512 * (sectors - 1)) : $0 }) }
      return choices
    }

    @Test func nothingAcknowledgedIsLost() throws {
      let (operations, turns) = try record()
      var random = SplitMix(seed: 42)
      var disk = Disk()
      var acknowledged: Int64 = 0
      var images = 0
      for (index, operation) in operations.enumerated() {
        disk.apply(operation)
        if operation.kind == Int32(FAULTVFS_MARK.rawValue) { acknowledged = operation.offset }
        for choice in choices(disk.pending, &random) {
          var files = disk.synced
          for (write, count) in choice { Disk.apply(disk.pending[write], bytes: count, to: &files) }
          check(files, turns, acknowledged: acknowledged, "operation \(index), \(choice)")
          images += 1
        }
      }
      #expect(operations.count > 100 && images > 1000)
      faultvfs_reset()
    }

    /// Returns the files after a crash in each commit of several frames. The first frame is lost.
    private func interruptedCommits(_ operations: [faultvfs_operation]) -> [[Int32: [UInt8]]] {
      var (disk, images): (Disk, [[Int32: [UInt8]]]) = (Disk(), [])
      for operation in operations {
        let frames = disk.pending.indices.filter { disk.pending[$0].file == Int32(FAULTVFS_WAL.rawValue) }
        if operation.kind == Int32(FAULTVFS_SYNC.rawValue), frames.count > 6 {
          var files = disk.synced
          for (index, write) in disk.pending.enumerated() where index != frames[0] { Disk.apply(write, to: &files) }
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
        write(files, to: directory)
        faultvfs_reset()
        faultvfs_record(directory + "/journal.tail")
        let (journal, events) = try open(directory) { $0.checkpointPages = 24 }
        let first = journal.tail
        for position in first + 1...first + 2 {
          journal.append([turn(position)])
          events.waitForStored(position)
        }
        journal.close()
        crash(Disk(synced: files), during: recorded(), turns(1...first + 2), acknowledged: Int64(first), &random)
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
        let operations = recorded()
        var disk = Disk()
        for operation in operations[..<start] { disk.apply(operation) }
        crash(disk, during: Array(operations[start...]), turns(1...4), acknowledged: 2, &random)
      }
      #expect(failures > 3)
      faultvfs_reset()
    }

    private func recorded() -> [faultvfs_operation] { (0..<faultvfs_operations()).map { faultvfs_operation_at($0) } }

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
      _ disk: Disk, during operations: [faultvfs_operation], _ turns: [LoggedTurn], acknowledged: Int64,
      _ random: inout SplitMix
    ) {
      var (disk, acknowledged) = (disk, acknowledged)
      for (index, operation) in operations.enumerated() {
        disk.apply(operation)
        if operation.kind == Int32(FAULTVFS_MARK.rawValue) { acknowledged = operation.offset }
        for choice in choices(disk.pending, samples: 2, &random) {
          var files = disk.synced
          for (write, count) in choice { Disk.apply(disk.pending[write], bytes: count, to: &files) }
          check(files, turns, acknowledged: acknowledged, "operation \(index), \(choice)")
        }
      }
    }

    private func write(_ files: [Int32: [UInt8]], to directory: String) {
      scratch.remove(directory)
      mkdir(directory, 0o700)
      for (file, bytes) in files { Scratch.write(bytes, to: "\(directory)/\(Self.names[Int(file)])") }
    }

    private func check(
      _ files: [Int32: [UInt8]], _ turns: [LoggedTurn], acknowledged: Int64, _ comment: @autoclosure () -> Comment
    ) {
      let directory = scratch.path + "/crashed"
      write(files, to: directory)
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
