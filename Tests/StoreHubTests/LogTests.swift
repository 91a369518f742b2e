import EventLoop
import Features
import Foundation
import HubCore
import StoreHub
import Testing
import Wire

@Suite(.timeLimit(.minutes(30))) struct LogTests {
  private let refused = Log.Cause("refused actions", user: 7)

  @Test func linesOfOneCauseAreLimitedAndCounted() {
    let recorder = LogRecorder()
    var textCount = 0
    for _ in 0..<100_000 {
      recorder.log?.write(
        .warning, cause: refused,
        {
          textCount += 1
          return "refused"
        }())
    }
    #expect(recorder.lines.count == 10 && textCount == 10)
    // Other causes, and lines without a cause, have separate limits.
    recorder.log?.write(.warning, cause: Log.Cause("refused actions", user: 8), "another user")
    recorder.log?.write(.warning, "no cause")
    #expect(recorder.lines.count == 12)

    recorder.now += Log.interval
    recorder.log?.write(.warning, cause: refused, "again")
    let lines = recorder.lines.dropFirst(12)
    #expect(lines.count == 2)
    #expect(lines.first == "test: warning: … and 99990 more like this in 10 s (refused actions, user 7)")
    #expect(lines.last == "test: warning: again")
  }

  @Test func aCauseThatEndsIsSummarisedByTheNextOneOrAtTheEnd() {
    let recorder = LogRecorder()
    for _ in 0..<20 { recorder.log?.write(.warning, cause: refused, "refused") }
    recorder.now += Log.interval
    recorder.log?.write(.warning, cause: Log.Cause("others"), "other")
    #expect(recorder.lines.contains { $0.contains("… and 10 more") })
    for _ in 0..<15 { recorder.log?.write(.warning, cause: refused, "refused") }
    recorder.log?.flush()
    #expect(recorder.lines.last?.contains("… and 5 more") == true)
    let count = recorder.lines.count
    recorder.log?.flush()
    #expect(recorder.lines.count == count)
  }

  @Test func manyUsersTogetherAreLimitedToo() {
    let recorder = LogRecorder()
    for user in 0..<100_000 {
      recorder.log?.write(.warning, cause: Log.Cause("refused", user: UInt32(user)), "refused")
    }
    #expect(recorder.lines.count <= 300)
    recorder.log?.flush()
    #expect(recorder.lines.count <= 600)
  }

  @Test func aDeveloperSeesAllLines() {
    let recorder = LogRecorder(level: .debug)
    for _ in 0..<100 { recorder.log?.write(.debug, cause: refused, "opened") }
    #expect(recorder.lines.count == 100)
  }

  @Test func linesShowControlCharactersByTheirNumbers() {
    let recorder = LogRecorder()
    recorder.log?.write(.error, "/tmp/\u{1B}[31m\u{202E}x: cannot be opened")
    #expect(recorder.lines == ["test: error: /tmp/\\u{1b}[31m\\u{202e}x: cannot be opened"])
  }

  /// Texts quote names of files and texts of other users, whose line breaks once began lines of their own.
  @Test func lineBreaksBeginNoLines() {
    let recorder = LogRecorder()
    recorder.log?.write(.warning, "/tmp/a\r\ntest: error: b\n\u{301}c: cannot be opened\n")
    #expect(
      recorder.lines == ["test: warning: /tmp/a\\u{d}\\u{a}test: error: b\\u{a}\u{301}c: cannot be opened\\u{a}"])
  }

  @Test func namesOfClientsCannotForgeLines() {
    let peer = Peer(process: 1, user: 2, group: 3)
    var core = HubCore(FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature()))
    let connection = core.connected(peer, at: .zero)
    let name = "mallory\n\u{202E}\u{2028}storehubd: \u{2066}error"
    let report = HubReport.opened(connection, SessionID(high: 1, low: 2), peer, name: name)
    #expect(report.text.contains("mallorystorehubd: error (process 1 of user 2)"), "\(report.text)")
  }

  @Test func aLoopWritesSummariesWhenNoLineFollows() throws {
    let loop = try EventLoop()
    let recorder = LogRecorder()
    try recorder.log?.summarise(on: loop)
    recorder.log?.write(.warning, cause: refused, "refused")
    recorder.now += Log.interval - .milliseconds(5)
    for _ in 0..<20 { recorder.log?.write(.warning, cause: refused, "refused") }
    #expect(recorder.lines.count == 10)
    recorder.now += .milliseconds(5)
    // The log's own timer does not keep a loop alive.
    let other = try Timer(on: loop) {}
    other.start(after: .milliseconds(1), repeating: .milliseconds(1))
    let deadline = ContinuousClock.now.advanced(by: .seconds(120))
    while recorder.lines.count == 10, ContinuousClock.now < deadline { loop.run(.noWait) }
    #expect(recorder.lines.last?.contains("… and 11 more") == true)
    _ = consume other
    loop.close()
  }
}
