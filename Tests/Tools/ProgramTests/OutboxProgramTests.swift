import Foundation
import TestSupport
import Testing

/// Clients with an outbox that are killed and started again.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct OutboxProgramTests {
  private let client = Program(name: "outboxclient")

  private func lines(_ path: String) -> [String] {
    (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n").map(String.init) ?? []
  }

  /// Starts a client whose reports are added to a file.
  private func start(_ hub: HubProcess, _ name: String, count: Int) throws -> Process {
    try client.start(
      [hub.socket, hub.directory + "/outbox", name, "\(count)"], errors: hub.directory + "/\(name).errors",
      shell: "exec >>\(hub.directory)/reports; exec")
  }

  private func todos(_ hub: HubProcess) throws -> [String] {
    let outcome = try Program(name: "storectl").run("--socket", hub.socket, "state", "--json", "todos.todos")
    let list = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [[String: Any]]
    return try #require(list).compactMap { $0["text"] as? String }
  }

  /// A process that is killed may have no time to report an outcome that it has just learnt.
  @Test func eachActionOfKilledClientsTakesEffectOnce() throws {
    let hub = try HubProcess(options: [])
    _ = hub.kill(SIGTERM)
    try hub.start(["--state-dir", hub.directory + "/state"])
    var count = 0
    for round in 1...6 {
      let process = try start(hub, "run\(round)", count: 400)
      let reached = count + 40
      try #require(hub.wait { lines(hub.directory + "/reports").count > reached }, "\(hub.log)")
      if round.isMultiple(of: 3) {
        _ = hub.kill(SIGKILL)
        try hub.start(["--state-dir", hub.directory + "/state"])
      }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      count = lines(hub.directory + "/reports").count
    }
    let last = try start(hub, "last", count: 5)
    last.waitUntilExit()
    #expect(last.terminationStatus == 0, "\(lines(hub.directory + "/last.errors"))")
    let (added, reported) = (try todos(hub), lines(hub.directory + "/reports"))
    #expect(Set(added).count == added.count, "some took effect twice")
    #expect(Set(reported).isSubset(of: added), "not applied: \(Set(reported).subtracting(added))")
    // Those of one process in their order, without a gap.
    for round in 1...6 {
      let own = added.filter { $0.hasPrefix("run\(round)-") }
      #expect(own == own.indices.map { "run\(round)-\($0 + 1)" })
    }
  }

  @Test func anActionThatTheHubHasNeverSeenIsSentByTheNextProcess() throws {
    let hub = try HubProcess()
    // The client ends with its actions in the outbox, since the hub does not answer any more.
    let first = try start(hub, "first", count: 100_000_000)
    try #require(hub.wait { lines(hub.directory + "/reports").count > 10 })
    #expect(try #require(hub.process).suspend())
    usleep(50_000)
    kill(first.processIdentifier, SIGKILL)
    first.waitUntilExit()
    let reported = lines(hub.directory + "/reports").count
    #expect(try #require(hub.process).resume())
    let second = try start(hub, "second", count: 1)
    second.waitUntilExit()
    #expect(second.terminationStatus == 0, "\(lines(hub.directory + "/second.errors"))")
    let added = try todos(hub)
    #expect(lines(hub.directory + "/reports").count > reported + 1)
    #expect(Set(added).count == added.count && Set(lines(hub.directory + "/reports")).isSubset(of: added))
  }

  @Test func aSecondProcessIsRefused() throws {
    let hub = try HubProcess()
    let first = try start(hub, "first", count: 100_000_000)
    defer {
      // The process may have inherited a mask of signals.
      kill(first.processIdentifier, SIGKILL)
      first.waitUntilExit()
    }
    try #require(hub.wait { !lines(hub.directory + "/reports").isEmpty })
    let second = try client.run(hub.socket, hub.directory + "/outbox", "second", "1")
    #expect(second.status == 1)
    #expect(
      second.errors
        == """
        outboxclient: the outbox \(hub.directory)/outbox is in use by another client; end that one, or name another file

        """)
  }
}
