import Foundation
import TestSupport
import Testing

/// The client of each released version (`Tests/Golden/releases`) with the hub of today.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking, .enabled(if: Python.isInstalled))
struct ReleasedClientTests {
  private func run(_ version: String, _ hub: HubProcess, _ arguments: String...) throws -> NSDictionary {
    let text = try Python.run("Golden/releases/\(version)/client.py", [hub.socket] + arguments)
    return try #require(try JSONSerialization.jsonObject(with: text) as? NSDictionary)
  }

  private func count(_ state: Any?) -> Int? {
    ((state as? NSDictionary)?["counter"] as? NSDictionary)?["count"] as? Int
  }

  private let increment = #"{"counter": "incrementButtonTapped"}"#

  @Test(arguments: Releases.versions)
  func itReadsSnapshotsAndDeltasAndItsActionsAreApplied(version: String) throws {
    let hub = try HubProcess()
    let answer = try run(
      version, hub, "send", increment, #"{"todos": {"addButtonTapped": "bread"}}"#,
      #"{"todos": {"addButtonTapped": "milk"}}"#,
      #"{"todos": {"todos": {"element": {"id": 1, "action": {"textChanged": "oat milk"}}}}}"#,
      #"{"todos": {"moved": {"id": 1, "before": 0}}}"#, #"{"favourites": {"view": "favouriteButtonTapped"}}"#)
    #expect(answer["deltas"] as? Int ?? 0 >= 6)
    let state = try #require(answer["state"] as? NSDictionary)
    #expect(count(state) == 1)
    let todos = (state["todos"] as? NSDictionary)?["todos"] as? [NSDictionary]
    #expect(todos?.map { $0["text"] as? String } == ["oat milk", "bread"])
    // A later connection gets the same as a snapshot, and today's client has the same.
    #expect(try run(version, hub, "state") == state)
    #expect(try Python.client(hub, ["state"]) as? NSDictionary == state)
  }

  @Test(arguments: Releases.versions)
  func itsSessionIsResumedAfterEachCut(version: String) throws {
    let hub = try HubProcess()
    let answer = try run(version, hub, "resume", increment, increment, increment, increment, increment)
    #expect(count(answer["state"]) == 5)
  }

  @Test(arguments: Releases.versions)
  func itFollowsOthersUntilTheHubSaysGoodbye(version: String) throws {
    let hub = try HubProcess()
    let client = try Python.start(
      "Golden/releases/\(version)/client.py", [hub.socket, "follow"], output: hub.directory + "/followed")
    defer { client.terminate() }
    func lines() -> [NSDictionary] {
      let text = (try? String(contentsOfFile: hub.directory + "/followed", encoding: .utf8)) ?? ""
      return text.split(separator: "\n").compactMap {
        try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? NSDictionary
      }
    }
    try #require(hub.wait { lines().count == 1 })
    #expect(count(lines()[0]["state"]) == 0)
    _ = try Python.client(hub, ["send", increment])
    try #require(hub.wait { lines().count == 2 })
    #expect(lines()[1]["revision"] as? Int == 1 && count(lines()[1]["state"]) == 1)
    #expect(hub.kill(SIGTERM) == 0)
    client.waitUntilExit()
    #expect(client.terminationStatus == 0)
    let goodbye = try #require(lines().last?["goodbye"] as? [Any])
    #expect(goodbye.first as? Int == 1)
  }
}
