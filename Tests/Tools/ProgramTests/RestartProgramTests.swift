import Foundation
import Journal
import TestSupport
import Testing

/// A meeting whose timer is an effect ends, however often the hub is killed meanwhile.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct RestartProgramTests {
  private let client = Program(name: "storectl")

  private func state(_ hub: HubProcess, _ part: String) throws -> Int? {
    Int(try client.run("--socket", hub.socket, "state", part).output.trimmingCharacters(in: .whitespacesAndNewlines))
  }

  private func start(_ durability: String) throws -> (HubProcess, [String]) {
    let hub = try HubProcess("meetinghub")
    _ = hub.kill(SIGTERM)
    let options = ["--state-dir", hub.directory + "/state", "--durability", durability]
    try hub.start(options)
    return (hub, options)
  }

  private func send(_ action: String..., to hub: HubProcess) throws {
    let result = try client.run(["--socket", hub.socket, "send"] + action)
    try #require(result.status == 0, "\(result)")
  }

  /// On a slow machine, a short meeting may end between the kills.
  @Test func aMeetingEndsAlthoughItsHubIsKilled() throws {
    for tenths in [30, 300] { if try hasEnded(after: tenths) { return } }
    #expect(try hasEnded(after: 1200))
  }

  /// Kills the hub of a meeting three times; returns false if it has ended before.
  private func hasEnded(after tenths: Int) throws -> Bool {
    let (hub, options) = try start("sync")
    try send("started", "\(tenths)", to: hub)
    // The turn is stored, and perhaps the effect has not begun.
    _ = hub.kill(SIGKILL)
    for kills in 1...3 {
      try hub.start(options)
      var hasEnded = false
      #expect(
        hub.wait {
          hasEnded = (try? state(hub, "endedMeetings")) == 1
          return hasEnded || (try? state(hub, "resumptions")) == kills
        }, "\(hub.log)")
      if hasEnded { return false }
      if kills < 3 { _ = hub.kill(SIGKILL) }
    }
    #expect(hub.wait { (try? state(hub, "endedMeetings")) == 1 }, "\(hub.log)")
    _ = hub.kill(SIGKILL)
    // The timer was cancelled with the meeting's end.
    try hub.start(options)
    #expect(try state(hub, "resumptions") == 3 && state(hub, "ticksLeft") == 0)
    #expect(hub.kill(SIGTERM) == 0)
    #expect(try JournalTool.verify(hub.directory + "/state").isSound)
    return true
  }

  /// Also after a stop in order, and the log names the effects whose restart is not declared.
  @Test func aStopInOrderNamesWhatIsLostAndRestartsTheRest() throws {
    let (hub, options) = try start("async")
    try send("started", "1000000", to: hub)
    try send("watched", to: hub)
    try send("watched", to: hub)
    #expect(hub.kill(SIGTERM) == 0)
    let lines = hub.log.split(separator: "\n").filter { $0.contains("its restart is not declared") }
    #expect(lines.count == 1 && lines[0].contains("the effect at meetinghub/MeetingHub.swift:"), "\(hub.log)")
    #expect(lines.first?.contains(", begun by watched, ends unfinished") == true, "\(lines)")
    try hub.start(options)
    #expect(hub.wait { (try? state(hub, "resumptions")) == 1 }, "\(hub.log)")
  }

  @Test func aHubWithoutAJournalNamesNothing() throws {
    let hub = try HubProcess("meetinghub")
    try send("watched", to: hub)
    #expect(hub.kill(SIGTERM) == 0)
    #expect(!hub.log.contains("its restart is not declared"))
  }
}
