import Journal
import TestSupport
import Testing
import TurnLog
import Wire

/// The table of sessions follows the turns at a distance; no change of a session depends on it.
@Suite(.serialized) struct SessionChangeTests {
  let scratch = Scratch(isInMemory: true)

  private func turn(_ position: UInt64, time: Int64 = 0, _ sessions: LoggedSession...) -> LoggedTurn {
    LoggedTurn(position: position, baseRevision: position - 1, revision: position, time: time, sessions: sessions)
  }

  private func ended(_ number: UInt64, processed: UInt64) -> LoggedSession {
    var session = sampleSession(number, processed: processed)
    session.hasEnded = true
    return session
  }

  /// Returns the sessions that a hub finds after a crash, and what the tools say about the files.
  private func afterCrash(_ directory: String) throws -> [LoggedSession] {
    let copy = directory + "-crashed"
    scratch.remove(copy)
    Scratch.copy(directory, to: copy)
    let sessions = try JournalHistory.reading(copy).sessions
    let report = try JournalTool.verify(copy)
    #expect(report.isSound && report.sessions == sessions.count)
    return sessions
  }

  @Test(arguments: [1, 2, 3, 4096] as [UInt64])
  func changesSurviveACrash(sessionTurns: UInt64) throws {
    let directory = scratch.path + "/journal"
    let opened = try Opened(directory) { $0.sessionTurns = sessionTurns }
    let steps: [(LoggedTurn, [LoggedSession])] = [
      (turn(1, sampleSession(1, processed: 1)), [sampleSession(1, processed: 1)]),
      (
        turn(2, sampleSession(2, processed: 5)),
        [sampleSession(1, processed: 1), sampleSession(2, processed: 5)]
      ),
      (
        turn(3, sampleSession(1, processed: 2)),
        [sampleSession(2, processed: 5), sampleSession(1, processed: 2)]
      ),
      (turn(4, ended(2, processed: 5)), [sampleSession(1, processed: 2)]),
      (turn(5), [sampleSession(1, processed: 2)]),
      (
        turn(6, sampleSession(2, processed: 1)),
        [sampleSession(1, processed: 2), sampleSession(2, processed: 1)]
      ),
      (turn(7, ended(1, processed: 2), ended(2, processed: 1)), []),
    ]
    for (turn, sessions) in steps {
      opened.journal.append([turn])
      opened.events.waitForStored(turn.position)
      #expect(try afterCrash(directory) == sessions, "after turn \(turn.position)")
    }
    opened.journal.close()
    #expect(try JournalHistory.reading(directory).sessions == [])
  }

  @Test func aHubThatCrashesAgainKnowsTheSessionsOfBoth() throws {
    let (first, second) = (scratch.path + "/first", scratch.path + "/second")
    let opened = try Opened(first)
    opened.journal.append([turn(1, sampleSession(1, processed: 1), sampleSession(2, processed: 1))])
    opened.events.waitForStored(1)
    Scratch.copy(first, to: second)
    opened.journal.close()

    let again = try Opened(second)
    #expect(again.history.sessions.count == 2)
    again.journal.append([turn(2, sampleSession(1, processed: 2))])
    again.events.waitForStored(2)
    #expect(try afterCrash(second) == [sampleSession(2, processed: 1), sampleSession(1, processed: 2)])
    again.journal.close()
    #expect(try afterCrash(second) == [sampleSession(2, processed: 1), sampleSession(1, processed: 2)])
  }

  @Test func sessionsExpireAlsoIfTheirRowsAreNotWritten() throws {
    let day: Int64 = 24 * 3600 * 1000
    let directory = scratch.path + "/journal"
    let opened = try Opened(directory) { $0.longestClockStep = .zero }
    opened.journal.append([turn(1, time: day, sampleSession(1, processed: 1))])
    opened.events.waitForStored(1)
    opened.journal.append([turn(2, time: 9 * day)])
    opened.events.waitForStored(2)
    #expect(try afterCrash(directory) == [])
    opened.journal.close()
  }

  @Test func noMoreSessionsSurviveACrashThanAreAllowed() throws {
    let directory = scratch.path + "/journal"
    let opened = try Opened(directory) { $0.sessionLimit = 3 }
    for position in 1...9 as ClosedRange<UInt64> {
      opened.journal.append([turn(position, sampleSession(position, processed: 1))])
      opened.events.waitForStored(position)
      #expect(try afterCrash(directory).map(\.id.high) == Array((1...position).suffix(3)))
    }
    opened.journal.close()
  }

  /// Recovery may begin with a snapshot, and the turns before it may be gone or damaged.
  @Test func aSnapshotDoesNotNeedTheTurnsBeforeIt() throws {
    let directory = scratch.path + "/journal"
    let opened = try Opened(directory)
    opened.save(snapshot(at: 0))
    opened.journal.append([turn(1, sampleSession(1, processed: 7))])
    opened.events.waitForStored(1)
    // The text is on pages of its own, which no later turn writes again.
    let (text, padding) = (Array("the delta of turn two".utf8), [UInt8](repeating: 1, count: 10_000))
    var marked = turn(2, sampleSession(2, processed: 7))
    marked.delta = padding + text + padding
    opened.journal.append([marked, turn(3, sampleSession(3, processed: 7))])
    opened.save(LogSnapshot(position: 3, revision: 3) { { _ in nil } })
    opened.journal.append([turn(4, sampleSession(4, processed: 7))])
    opened.events.waitForStored(4)
    let copy = scratch.path + "/crashed"
    Scratch.copy(directory, to: copy)
    opened.journal.close()
    execute("PRAGMA wal_checkpoint(TRUNCATE)", in: copy)

    var bytes = Scratch.read(copy + "/journal.db")
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
    bytes[place] ^= 1
    Scratch.write(bytes, to: copy + "/journal.db")
    #expect(try JournalTool.verify(copy).problems == ["turn 2 is missing or not what was written"])
    let repair = try #require(try JournalTool.repair(copy))
    #expect(repair.revision == 4)
    #expect(try JournalHistory.reading(copy).sessions == (1...4).map { sampleSession($0, processed: 7) })
  }

  /// A journal that a hub wrote before the tables had `session_position`.
  @Test func aJournalOfTheFirstVersionIsReadAndUpgraded() throws {
    Scratch.copy(RepositoryFiles.path("Tests/Fixtures/journal-1"), to: scratch.path + "/journal")
    let directory = scratch.path + "/journal"
    let report = try JournalTool.verify(directory)
    #expect(report.isSound && report.lastRevision == 23 && report.turns == 31 && report.sessions == 3)
    #expect(try JournalReader(directory).extent().tail == 31)
    let sessions = try JournalHistory.reading(directory).sessions
    #expect(sessions.map(\.processed) == [0, 10, 10])

    let (journal, history) = try Journal.open(directory: directory) { _ in }
    #expect(try history.sessions == sessions && history.rest().last?.revision == 23)
    journal.close()
    #expect(try JournalTool.verify(directory).isSound)
    let (again, same) = try Journal.open(directory: directory) { _ in }
    #expect(same.sessions == sessions && same.revision == 23)
    again.close()
  }
}
