import EventLoop
import Features
import Foundation
import Journal
import Testing
import TurnLog
import Wire

@testable import HubTool

@Suite struct InspectorJournalTests {
  /// A search reads thousands of turns, and the loop must serve other requests and signals meanwhile.
  @Test func theLoopContinuesDuringASearch() async throws {
    let directory = NSTemporaryDirectory() + "inspector-journal-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
    try JournalTool.begin(directory, schema: schema, state: AppFeature.State().encoded(), revision: 0, time: 1)
    let (journal, history) = try Journal.open(directory: directory) { _ in }
    while try history.next() != nil {}
    journal.begin(schema: schema)
    journal.append(
      (1...4100).map { LoggedTurn(position: $0, baseRevision: $0 - 1, revision: $0, time: Int64($0)) })
    journal.close()

    let loop = try EventLoop()
    let inspected = try InspectorJournal(directory, loop: loop)
    var found: JSONValue?
    let search = Task { found = try await inspected.turns(before: nil, count: 50, filter: "nothing") }
    var passes = 0
    while found == nil, !search.isCancelled, passes < 1_000_000 {
      loop.run(.noWait)
      await Task.yield()
      passes += 1
    }
    try await search.value
    #expect(passes > 2)
    #expect(found?["turns"] == .array([]) && found?["next"] == .integer(101))
  }
}
