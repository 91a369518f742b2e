import CSQLite
import Glibc
import Journal
import TestSupport
import Testing
import TurnLog
import Wire

/// Another program that uses the journal's files at the same time.
@Suite(.blocking) struct OtherWriterTests {
  let scratch = Scratch()

  private var python: String? { ["/usr/bin/python3", "/usr/local/bin/python3"].first { access($0, X_OK) == 0 } }

  /// A program with an open transaction.
  private struct Holder {
    let process: pid_t
    /// Ends the transaction.
    func end() {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
  }

  /// Starts a program that has begun a transaction when this returns.
  private func hold() throws -> Holder {
    let script = """
      import sqlite3, sys, time
      connection = sqlite3.connect(sys.argv[1] + "/journal.db", isolation_level=None)
      connection.execute("BEGIN IMMEDIATE")
      open(sys.argv[1] + "/held", "w").close()
      time.sleep(600)
      """
    let words = [try #require(python), "-c", script, scratch.path]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    let result = posix_spawn(&process, words[0], nil, nil, &arguments, nil)
    try #require(result == 0)
    let deadline = time(nil) + 60
    while access(scratch.path + "/held", F_OK) != 0, time(nil) < deadline { usleep(10_000) }
    try #require(access(scratch.path + "/held", F_OK) == 0)
    return Holder(process: process)
  }

  private func blockades(_ events: [LogEvent]) -> [LogError] {
    events.compactMap { if case .blocked(let error) = $0 { error } else { nil } }
  }

  @Test func aTransactionOfAnotherProgramIsWaitedFor() throws {
    let opened = try Opened(scratch.path)
    opened.store(1...2)
    let holder = try hold()
    opened.journal.append(turns(3...4))
    opened.events.wait { !blockades($0).isEmpty }
    let error = try #require(blockades(opened.events.all).first)
    #expect(error.problem == .inUse && error.soundRevision == 1)
    #expect(error.description.contains("process \(holder.process) (python3"), "\(error)")
    #expect(error.description.contains("has a transaction open in \(scratch.path)/journal.db; end it, and the hub"))
    #expect(opened.events.stored == 2 && opened.events.failures.isEmpty)
    holder.end()
    opened.events.waitForStored(4)
    #expect(opened.events.all.suffix(2) == [.unblocked, .stored(upTo: 4)])
    opened.journal.close()
    #expect(try JournalTool.verify(scratch.path).isSound)
    #expect(try Opened(scratch.path).history.rest().count == 4)
  }

  /// A hub that stops must end, even if nothing can be stored.
  @Test func aBlockedJournalCanBeClosed() throws {
    let opened = try Opened(scratch.path)
    opened.store(1...2)
    let holder = try hold()
    opened.journal.append(turns(3...4))
    opened.events.wait { !blockades($0).isEmpty }
    opened.journal.close()
    let failure = try #require(opened.events.failures.first)
    #expect(failure.problem == .inUse && failure.description.contains("process \(holder.process) (python3"))
    #expect(opened.events.stored == 2)
    // The next start fails, and names the program too.
    let error = #expect(throws: LogError.self) { try Opened(scratch.path) }
    #expect(error?.problem == .inUse, "\(String(describing: error))")
    holder.end()
    #expect(try Opened(scratch.path).history.rest().count == 2)
  }

  // MARK: The lock

  @Test func aRemovedLockFileLetsNoSecondHubIn() throws {
    let opened = try Opened(scratch.path)
    opened.store(1...2)
    let lock = scratch.path + "/journal.lock"
    #expect(unlink(lock) == 0)
    let error = #expect(throws: LogError.self) { try Opened(scratch.path) }
    #expect(error?.problem == .inUse)
    #expect(error?.description.contains("process \(getpid())") == true, "\(String(describing: error))")
    #expect(access(lock, F_OK) != 0)
    #expect(throws: LogError.self) { try JournalTool.verify(scratch.path) }
    // The next commit restores the file, which names the process again.
    opened.store(3...4)
    #expect(Scratch.read(lock) == Array("\(getpid())\n".utf8))
    opened.journal.close()
    let again = try Opened(scratch.path)
    #expect(try again.history.rest().count == 4)
    again.journal.close()
  }

  /// An older program locks the file alone.
  @Test func aLockFileOfAnotherProgramEndsTheJournal() throws {
    let opened = try Opened(scratch.path)
    opened.store(1...2)
    let lock = scratch.path + "/journal.lock"
    #expect(unlink(lock) == 0)
    let other = open(lock, O_RDWR | O_CREAT, 0o600)
    defer { close(other) }
    #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    opened.journal.append(turns(3...4))
    opened.events.wait { events in events.contains { if case .failed = $0 { true } else { false } } }
    let error = try #require(opened.events.failures.first)
    #expect(error.problem == .inUse && error.soundRevision == 1)
    #expect(
      error.description.hasPrefix(
        "\(lock) was removed or replaced while the hub used it, and cannot be locked again; nothing after revision 1 was"
      ),
      "\(error)")
    #expect(opened.events.stored == 2)
    opened.journal.close()
  }

  @Test func aTurnOfAnotherWriterIsNamed() throws {
    let opened = try Opened(scratch.path)
    opened.store(1...2)
    execute(
      "INSERT INTO turns SELECT 3, base_revision, revision, time_ms, total, actions, delta, sessions, checksum FROM turns "
        + "WHERE position = 2", in: scratch.path)
    opened.journal.append(turns(3...3))
    opened.events.wait { events in events.contains { if case .failed = $0 { true } else { false } } }
    let error = try #require(opened.events.failures.first)
    #expect(error.problem == .inUse)
    #expect(error.description.contains("another program has written to it while the hub used it"), "\(error)")
    #expect(!error.description.contains("check the disk, then run"))
    opened.journal.close()
  }

  // MARK: Statistics

  @Test func theJournalReportsItsLastCommitAndSnapshot() throws {
    let opened = try Opened(scratch.path)
    #expect(opened.journal.statistics.snapshot == nil)
    opened.store(1...4)
    opened.save(snapshot(at: 4))
    let statistics = opened.journal.statistics
    #expect(try #require(statistics.lastCommit) > .zero)
    let place = try #require(statistics.snapshot)
    #expect((place.position, place.revision, place.time) == (4, 2, 1_000_004))
    #expect(opened.journal.fileBytes.log > 0)
    opened.journal.close()
    let again = try Opened(scratch.path)
    #expect(again.journal.statistics.snapshot == place && again.journal.fileBytes.database > 0)
    again.journal.close()
  }
}
