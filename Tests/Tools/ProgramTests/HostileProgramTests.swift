import Foundation
import TestSupport
import Testing

/// What a hub with a journal has acknowledged is there after a kill, for a client in Swift, one in Python and the tools.
///
/// `ReplicaCoreTests/HostileStateTests` has the same test in one process, with more histories.
/// `STOREHUB_HOSTILE_SEED=7` runs only that seed.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking, .enabled(if: Python.isInstalled))
struct HostileProgramTests {
  static let seeds: [Int] =
    ProcessInfo.processInfo.environment["STOREHUB_HOSTILE_SEED"].flatMap(Int.init).map { [$0] } ?? [1, 2, 3]

  private struct Answer: Decodable {
    var revision: UInt64
    var state: String
    var refusals: [Refusal]?

    struct Refusal: Decodable {
      let code: Int
      let reason: String

      init(from decoder: any Decoder) throws {
        var items = try decoder.unkeyedContainer()
        (code, reason) = (try items.decode(Int.self), try items.decode(String.self))
      }
    }
  }

  private func python(_ hub: HubProcess, _ arguments: String...) throws -> Answer {
    try JSONDecoder().decode(Answer.self, from: Python.run("Fixtures/hostile.py", [hub.socket] + arguments))
  }

  @Test(arguments: seeds)
  func whatIsAcknowledgedIsThereAfterAKill(seed: Int) throws {
    let control = Program(name: "storectl")
    let hub = try HubProcess("hostilehub", options: [])
    _ = hub.kill(SIGTERM)
    let journal = hub.directory + "/state"
    try hub.start(["--state-dir", journal])
    var last: Answer?
    for round in 0..<3 {
      let answer = try python(hub, "play", "\(seed * 100 + round)", "120")
      let refusals = try #require(answer.refusals)
      for refusal in refusals {
        #expect(refusal.code != 1 && !refusal.reason.isEmpty, "seed \(seed): refused as \(refusal)")
      }
      #expect(refusals.count < 60)
      // Half of the times as in a crash; the other times with a snapshot at the end.
      _ = hub.kill(round == 1 ? SIGTERM : SIGKILL)
      let report = try control.run("journal", "verify", "--state-dir", journal)
      #expect(report.status == 0, "seed \(seed): \(report.output)\(report.errors)")
      try hub.start(["--state-dir", journal])
      try #require(hub.wait { hub.log.contains("listening on") }, "seed \(seed): \(hub.log)")
      let after = try python(hub, "state")
      #expect(after.state == answer.state, "seed \(seed), round \(round)")
      // The last actions may have changed nothing, so that the client was not told their revision.
      #expect(after.revision >= answer.revision, "seed \(seed), round \(round)")
      let typed = try Program(name: "hostileclient").run(hub.socket)
      #expect(typed.output.hasPrefix(answer.state + " "), "seed \(seed): \(typed.errors)")
      let verified = try control.run("verify", "--socket", hub.socket)
      #expect(verified.status == 0, "seed \(seed): \(verified.output)\(verified.errors)")
      let shown = try control.run("state", "--socket", hub.socket)
      #expect(shown.status == 0 && !shown.output.isEmpty, "seed \(seed): \(shown.errors)")
      last = after
    }
    let revision = try #require(last?.revision)
    _ = hub.kill(SIGTERM)
    for number in [revision, revision / 2] {
      let shown = try control.run("state", "--state-dir", journal, "--at", "\(number)")
      #expect(shown.status == 0, "seed \(seed), revision \(number): \(shown.errors)")
    }
  }
}
