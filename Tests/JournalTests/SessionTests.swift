import Journal
import Testing
import TurnLog
import Wire

/// The number and the age of sessions are limited.
@Suite(.serialized) struct SessionTests {
  let scratch = Scratch()

  private func turn(_ position: UInt64, time: Int64, _ sessions: [LoggedSession]) -> LoggedTurn {
    LoggedTurn(position: position, baseRevision: 0, revision: 0, time: time, sessions: sessions)
  }

  private func numbers(_ sessions: [LoggedSession]) -> [UInt64] { sessions.map(\.id.high) }

  @Test func theSessionThatWasActiveFirstIsForgottenFirst() throws {
    let opened = try Opened(scratch.path) { $0.sessionLimit = 4 }
    for position in 1...5 as ClosedRange<UInt64> {
      opened.journal.append([turn(position, time: 0, [sampleSession(position, processed: 1)])])
      if position == 3 { opened.events.waitForStored(3) }
    }
    // Of 2 3 4 5, the first becomes the last.
    opened.journal.append([turn(6, time: 0, [sampleSession(2, processed: 2)])])
    opened.journal.append([turn(7, time: 0, [sampleSession(6, processed: 1)])])
    opened.journal.close()
    #expect(numbers(try Opened(scratch.path).history.sessions) == [4, 5, 2, 6])
  }

  @Test func aSessionExpiresByTheTimeOfTheJournal() throws {
    let day: Int64 = 24 * 3600 * 1000
    let opened = try Opened(scratch.path) { $0.longestClockStep = .zero }
    opened.journal.append([turn(1, time: day, [sampleSession(1, processed: 1)])])
    opened.journal.append([turn(2, time: 3 * day, [sampleSession(2, processed: 1)])])
    opened.events.waitForStored(2)
    opened.journal.append([turn(3, time: 9 * day, [])])
    opened.journal.close()
    #expect(numbers(try Opened(scratch.path).history.sessions) == [2])
  }

  /// A clock that is wrong for a moment, as after a boot without a network, makes no session old.
  @Test func aStepOfTheClockRemovesNothing() throws {
    let day: Int64 = 24 * 3600 * 1000
    let opened = try Opened(scratch.path)
    opened.journal.append([turn(1, time: day, [sampleSession(1, processed: 1)])])
    opened.journal.append([turn(2, time: 400 * day, [sampleSession(2, processed: 1)])])
    opened.journal.append([turn(3, time: day + 1, [])])
    opened.journal.close()
    let again = try Opened(scratch.path)
    #expect(numbers(again.history.sessions) == [1, 2])
    again.journal.append([turn(4, time: day + 2, [])])
    again.journal.close()
    #expect(numbers(try Opened(scratch.path).history.sessions) == [1, 2])
  }

  @Test func aSessionThatEndedIsForgotten() throws {
    let opened = try Opened(scratch.path)
    var ended = sampleSession(1, processed: 4)
    ended.hasEnded = true
    opened.journal.append([turn(1, time: 0, [sampleSession(1, processed: 1), sampleSession(2, processed: 1)])])
    opened.events.waitForStored(1)
    opened.journal.append([turn(2, time: 0, [ended])])
    opened.journal.close()
    #expect(numbers(try Opened(scratch.path).history.sessions) == [2])
  }

  @Test func aSessionIsReadBackWhole() throws {
    let session = LoggedSession(
      id: SessionID(high: .max, low: 1 << 63), user: .max, process: -1, name: "", processed: (1 << 62) - 1,
      rejections: (1...300).map { Rejected(sequence: $0, code: RejectionCode(rawValue: .max), reason: "ü\u{0}") })
    let opened = try Opened(scratch.path)
    opened.journal.append([turn(1, time: 0, [session])])
    opened.journal.close()
    #expect(try Opened(scratch.path).history.sessions == [session])
  }
}
