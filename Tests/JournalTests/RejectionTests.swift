import Journal
import TestSupport
import Testing
import TurnLog
import Wire

/// Turns store only the new rejections of a session; the journal puts them together.
@Suite(.serialized) struct RejectionTests {
  let scratch = Scratch(isInMemory: true)

  private func turn(_ position: UInt64, _ sessions: LoggedSession...) -> LoggedTurn {
    LoggedTurn(position: position, baseRevision: position - 1, revision: position, time: 1, sessions: sessions)
  }

  private func session(
    _ number: UInt64 = 1, processed: UInt64, _ rejected: [UInt64] = [], firstKept: UInt64? = nil
  ) -> LoggedSession {
    LoggedSession(
      id: SessionID(high: number, low: 1), user: 1000, process: 42, name: "client", processed: processed,
      rejections: rejected.map { Rejected(sequence: $0, code: .unknownAction, reason: "this hub has no such action") },
      firstKept: firstKept)
  }

  private func pending(_ sessions: [LoggedSession]) -> [[UInt64]] { sessions.map { $0.rejections.map(\.sequence) } }

  @Test func aCompleteRecordHasTheEarlierForm() throws {
    let complete = session(processed: 3, [2, 3])
    #expect(complete.encoded()[0] == 0x87)
    #expect(try LoggedSession(decoding: complete.encoded().span.bytes) == complete)
    let later = session(processed: 4, [4], firstKept: 3)
    #expect(later.encoded()[0] == 0x88)
    #expect(try LoggedSession(decoding: later.encoded().span.bytes) == later)
    let shorter = [0x86] + complete.encoded().dropFirst()
    #expect(throws: WireError.self) { try LoggedSession(decoding: shorter.span.bytes) }
  }

  @Test func recordsAreJoined() {
    func joined(_ records: LoggedSession...) -> LoggedSession {
      records.dropFirst().reduce(into: records[0]) { $0.advance(to: $1) }
    }
    let (first, second) = (session(processed: 3, [2, 3]), session(processed: 6, [5, 6], firstKept: 3))
    #expect(joined(first, second) == session(processed: 6, [3, 5, 6]))
    #expect(joined(first, second, second) == session(processed: 6, [3, 5, 6]))
    #expect(joined(first, second, session(processed: 7)) == session(processed: 7))
    #expect(joined(first, second, session(processed: 7, firstKept: 6)) == session(processed: 7, [6]))
    // Without the first record, the result still refers to it.
    #expect(joined(second, session(processed: 7, [7], firstKept: 3)) == session(processed: 7, [5, 6, 7], firstKept: 3))
    #expect(joined(second, session(processed: 7, [7], firstKept: 6)) == session(processed: 7, [6, 7], firstKept: 6))
  }

  /// Rejections and acknowledgements at random, with several restarts, crashes, and rows of the table in between.
  @Test(arguments: [1, 2, 7, 4096] as [UInt64])
  func aRestartFindsThePendingRejections(sessionTurns: UInt64) throws {
    let directory = scratch.path + "/journal"
    var random = SplitMix(seed: sessionTurns)
    var (processed, rejected): (UInt64, [UInt64]) = (0, [])
    for start in [1, 31, 61, 91] as [UInt64] {
      let opened = try Opened(directory) { $0.sessionTurns = sessionTurns }
      #expect(pending(opened.history.sessions) == (start == 1 ? [] : [rejected]))
      for position in start..<start + 30 {
        // One of two; the other one has no rejections.
        let count = random.next() % 3
        let new = Array(processed + 1..<processed + 1 + count)
        processed += count
        rejected.removeFirst(Int(random.next() % 4 == 0 ? random.next() % UInt64(rejected.count + 1) : 0))
        let record = session(processed: processed, new, firstKept: rejected.first)
        rejected += new
        opened.journal.append([turn(position, record)])
        opened.events.waitForStored(position)
        guard position.isMultiple(of: 5) else { continue }
        let copy = scratch.path + "/crashed"
        scratch.remove(copy)
        Scratch.copy(directory, to: copy)
        let sessions = try JournalHistory.reading(copy).sessions
        #expect(pending(sessions) == [rejected] && sessions[0].firstKept == nil, "after turn \(position)")
        #expect(try JournalTool.verify(copy).isSound)
      }
      opened.journal.close()
    }
    let sessions = try JournalHistory.reading(directory).sessions
    #expect(pending(sessions) == [rejected] && sessions[0].processed == processed)
  }

  @Test func aRepairRestoresThePendingRejections() throws {
    let directory = scratch.path + "/journal"
    let opened = try Opened(directory) { $0.sessionTurns = 2 }
    opened.save(LogSnapshot(position: 0, revision: 0) { { _ in nil } })
    opened.journal.append([turn(1, session(processed: 2, [1, 2]))])
    opened.journal.append([turn(2, session(processed: 3, [3], firstKept: 1))])
    opened.journal.append([turn(3, session(processed: 4, [4], firstKept: 2))])
    opened.save(LogSnapshot(position: 3, revision: 3) { { _ in nil } })
    opened.journal.append([turn(4, session(processed: 5, [5], firstKept: 2))])
    opened.journal.append([turn(5, session(processed: 6, [6], firstKept: 5))])
    opened.events.waitForStored(5)
    opened.journal.close()
    for (revision, rejected) in [(4, [2, 3, 4, 5]), (3, [2, 3, 4]), (2, [1, 2, 3]), (1, [1, 2])] as [(UInt64, [UInt64])]
    {
      #expect(try JournalTool.repair(directory, to: revision)?.revision == revision)
      let history = try JournalHistory.reading(directory)
      #expect(pending(history.sessions) == [rejected], "after a repair to revision \(revision)")
    }
  }

  /// Its client would take the lost rejections for actions that took effect.
  @Test func aSessionWhoseEarlierRecordHasExpiredIsNotRestored() throws {
    let directory = scratch.path + "/journal"
    let opened = try Opened(directory) { ($0.sessionLimit, $0.sessionTurns) = (1, 1) }
    opened.journal.append([turn(1, session(1, processed: 1, [1]))])
    opened.events.waitForStored(1)
    opened.journal.append([turn(2, session(2, processed: 1))])
    opened.events.waitForStored(2)
    opened.journal.append([turn(3, session(1, processed: 2, [2], firstKept: 1))])
    opened.events.waitForStored(3)
    opened.journal.close()
    #expect(try JournalHistory.reading(directory).sessions == [session(2, processed: 1)])
  }

  @Test(arguments: [2, 3, 4, 5] as [UInt8]) func aJournalOfAnOlderVersionIsReadAndUpgraded(version: UInt8) throws {
    let directory = scratch.path + "/journal"
    let opened = try Opened(directory)
    opened.journal.append([turn(1, session(processed: 2, [1, 2]))])
    opened.journal.close()
    var bytes = Scratch.read(directory + "/journal.db")
    // The user version is in the header of the database, at 60.
    #expect(bytes[63] == 6)
    bytes[63] = version
    Scratch.write(bytes, to: directory + "/journal.db")
    #expect(try JournalTool.verify(directory).isSound)
    let again = try Opened(directory)
    #expect(pending(again.history.sessions) == [[1, 2]])
    again.journal.close()
    #expect(Scratch.read(directory + "/journal.db")[63] == 6)
    #expect(try JournalTool.verify(directory).isSound)
  }
}
