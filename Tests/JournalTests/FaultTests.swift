import CFaultVFS
import Journal
import TestSupport
import Testing
import TurnLog
import Wire

extension VFSTests {
  /// The n-th file system call fails, for every n until the work succeeds.
  @Suite struct FaultTests {
    let scratch = Scratch(isInMemory: true)

    private struct Outcome {
      var events = Events()
      var openError: LogError?
      var acknowledged: UInt64 { events.stored }
    }

    /// Writes turns, snapshots and checkpoints to failing files, and closes them.
    private func work(in directory: String) -> Outcome {
      var options = JournalOptions()
      (options.vfs, options.checkpointPages, options.pieceBytes) = ("fault", 4, 1000)
      var outcome = Outcome()
      do throws(LogError) {
        let events = outcome.events
        let (journal, _) = try Journal.open(directory: directory, options: options, onEvent: events.handler)
        journal.begin(schema: schema)
        journal.append(turns(1...3))
        events.waitForStored(3)
        journal.save(snapshot(at: 3, count: 9000))
        events.wait { events in
          events.contains {
            switch $0 {
            case .saved, .snapshotFailed, .failed: true
            default: false
            }
          }
        }
        journal.append(turns(4...6))
        events.waitForStored(6)
        journal.close()
      } catch {
        outcome.openError = error
      }
      return outcome
    }

    /// Checks the invariants after any failure.
    private func check(_ outcome: Outcome, in directory: String, _ comment: Comment) {
      let events = outcome.events.all
      #expect(outcome.events.failures.count <= 1, comment)
      if let error = outcome.events.failures.first {
        #expect(events.last == .failed(error), comment)
        #expect(error.description.contains(directory), "\(comment): \(error)")
        #expect(error.soundRevision == outcome.acknowledged / 2, "\(comment): \(error)")
      }
      if outcome.openError == nil, outcome.events.failures.isEmpty {
        #expect(outcome.acknowledged == 6, comment)
      }
      do throws(LogError) {
        let (journal, history) = try Journal.open(directory: directory) { _ in }
        defer { journal.close() }
        let read = try journal.read(from: 1, byteLimit: .max)
        #expect(read.count >= outcome.acknowledged, comment)
        #expect(read == turns(1...6).prefix(read.count).map(\.self), comment)
        #expect(history.sessions == lastSessions(read), comment)
        if events.contains(.saved(revision: 1)) {
          #expect(history.snapshot?.bytes == stateBytes(at: 3, count: 9000), comment)
        }
        while try history.next() != nil {}
        // The journal continues from there.
        journal.begin(schema: schema)
      } catch {
        Issue.record("\(comment): \(error)")
      }
    }

    private func failEach(isSticky: Bool, isFull: Bool) {
      var number: Int64 = 0
      while true {
        number += 1
        let directory = scratch.path + "/\(number)"
        faultvfs_reset()
        faultvfs_fail(number, isSticky ? 1 : 0, isFull ? 1 : 0)
        let outcome = work(in: directory)
        let isUntouched = faultvfs_failures() == 0
        faultvfs_reset()
        check(outcome, in: directory, "call \(number)")
        scratch.remove(directory)
        if isUntouched { break }
      }
      #expect(number > 100)
    }

    @Test func oneCallFails() { failEach(isSticky: false, isFull: false) }

    @Test func allCallsFailFromOneOn() { failEach(isSticky: true, isFull: false) }

    @Test func theDiskIsFullOnce() { failEach(isSticky: false, isFull: true) }

    @Test func aFullDiskEndsASnapshotAndNotTheTurns() throws {
      faultvfs_reset()
      let opened = try Opened(scratch.path + "/full") { $0.vfs = "fault" }
      opened.store(1...2)
      // The first write of the snapshot.
      let calls = faultvfs_calls()
      faultvfs_fail(calls + 1, 1, 1)
      opened.save(snapshot(at: 2))
      faultvfs_reset()
      opened.store(3...4)
      opened.save(snapshot(at: 4))
      opened.journal.close()
      let failures = opened.events.all.compactMap { if case .snapshotFailed(let error) = $0 { error } else { nil } }
      #expect(failures.count == 1 && failures[0].description.contains("make room on its disk"))
      #expect(opened.events.failures.isEmpty)
      let history = try Opened(scratch.path + "/full").history
      #expect(history.snapshot?.position == 4)
    }

    /// The first pass finds the sound part, and the second one copies it. Both read more than SQLite keeps in memory.
    @Test func aRepairThatCannotReadKeepsTheJournal() throws {
      faultvfs_reset()
      let original = scratch.path + "/original"
      let opened = try Opened(original)
      opened.save(snapshot(at: 0, count: 100))
      opened.journal.append((1...8).map { turn($0, bytes: 1_000_000) })
      opened.events.waitForStored(8)
      opened.journal.append([turn(9)])
      opened.journal.close()
      execute("UPDATE turns SET time_ms = 0 WHERE position = 9", in: original)

      func repair(failing call: Int64) -> (Result<JournalTool.Repair?, LogError>, String) {
        let directory = scratch.path + "/\(call)"
        Scratch.copy(original, to: directory)
        faultvfs_reset()
        faultvfs_fail(call, 0, 0)
        var options = JournalOptions()
        options.vfs = "fault"
        do throws(LogError) {
          let repair = try JournalTool.repair(directory, to: nil, options: options) { (_) throws(LogError) in }
          return (.success(repair), directory)
        } catch { return (.failure(error), directory) }
      }
      let (whole, directory) = repair(failing: 0)
      let calls = faultvfs_calls()
      #expect(try whole.get()?.revision == 4 && calls > 5000)
      scratch.remove(directory)
      var failures = 0
      for call in stride(from: calls / 8, to: calls, by: Int(calls / 8)) {
        let (outcome, directory) = repair(failing: call)
        switch outcome {
        case .success(let repair): #expect(repair?.revision == 4, "call \(call)")
        case .failure(let error):
          failures += 1
          #expect(error.problem == .storage, "call \(call): \(error)")
          #expect(Scratch.read(directory + "/journal.db") == Scratch.read(original + "/journal.db"))
          #expect(try JournalTool.repair(directory)?.revision == 4)
        }
        scratch.remove(directory)
      }
      #expect(failures > 4)
      faultvfs_reset()
    }

    @Test func slowSyncsMakeLargerCommits() throws {
      faultvfs_reset()
      faultvfs_delay_syncs(20_000)
      let opened = try Opened(scratch.path + "/slow") { $0.vfs = "fault" }
      for position in 1...500 as ClosedRange<UInt64> { opened.journal.append([turn(position)]) }
      opened.events.waitForStored(500)
      let commits = opened.journal.statistics.commits
      faultvfs_reset()
      opened.journal.close()
      #expect(commits < 100)
    }
  }
}
