import EventLoop
import Features
import Foundation
import JSONText
import Journal
import Testing
import TurnLog
import Wire

@testable import StorectlCommands

@Suite struct InspectorJournalTests {
  private static let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)

  private func writeJournal(_ turns: [LoggedTurn], _ directory: String, schema: Schema = schema) throws {
    try JournalTool.begin(directory, schema: schema, state: AppFeature.State().encoded(), revision: 0, time: 1)
    let (journal, history) = try Journal.open(directory: directory) { _ in }
    while try history.next() != nil {}
    journal.begin(schema: schema)
    journal.append(turns)
    journal.close()
  }

  /// A turn may have many actions, and an action may be long; the page shows only the beginnings.
  @Test func aSearchFindsWhatTheListDoesNotShow() async throws {
    let directory = NSTemporaryDirectory() + "inspector-search-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var texts = (0..<50).map { "todo \($0)" }
    texts[45] = String(repeating: "long ", count: 100) + "Needle"
    let actions = texts.map { AppFeature.Action.todos(.addButtonTapped(text: $0)).encoded() }
    let run = LoggedActions(origin: .hub, count: UInt64(texts.count), actions: Array(actions.joined()))
    try writeJournal(
      [LoggedTurn(position: 1, baseRevision: 0, revision: 50, time: 1, actions: run.encoded())], directory)

    let loop = try EventLoop()
    let inspected = try InspectorJournal(directory, loop: loop)
    func actionCount(_ filter: String) async throws -> Int? {
      var found: JSONValue?
      let search = Task { found = try await inspected.turns(before: nil, count: 50, filter: filter) }
      // A long search takes breaks, in which the loop must run.
      for _ in 0..<1_000_000 where found == nil {
        loop.run(.noWait)
        await Task.yield()
      }
      try await search.value
      guard case .array(let turns)? = found?["turns"], case .array(let actions)? = turns.first?["actions"] else {
        return nil
      }
      return actions.count
    }
    #expect(try await actionCount("") == InspectorJournal.actionLimit)
    #expect(try await actionCount(#""todo 3""#) == 11)
    #expect(try await actionCount("needle") == 1)
    #expect(try await actionCount("the hub") == InspectorJournal.actionLimit)
    #expect(try await actionCount("nothing") == nil)
  }

  @Test func aChangeOfASharedModelIsShownInWords() async throws {
    let directory = NSTemporaryDirectory() + "inspector-change-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    var schema = Self.schema
    let cases = [
      Schema.Case(
        key: 2, name: "words",
        payload: [Schema.Payload(label: "", type: .named("Change", [.named("Array", [.named("String")])]))])
    ]
    schema.definitions.append(Schema.Definition(name: "SharedChange", content: .cases(cases)))
    schema.action = .definition(schema.definitions.count - 1)
    // [2, {2: ["x", "y"]}]
    let run = LoggedActions(
      origin: .hub, count: 1, actions: [0x82, 2, 0xa1, 2, 0x82, 0x61, 0x78, 0x61, 0x79])
    try writeJournal(
      [LoggedTurn(position: 1, baseRevision: 0, revision: 1, time: 1, actions: run.encoded())], directory,
      schema: schema)
    let inspected = try InspectorJournal(directory, loop: try EventLoop())
    let found = try await inspected.turns(before: nil, count: 50, filter: "")
    guard case .array(let turns)? = found["turns"], case .array(let actions)? = turns.first?["actions"] else {
      Issue.record("\(found)")
      return
    }
    #expect(actions.first?["name"] == "words" && actions.first?["values"] == #"append "x", "y" to words"#, "\(found)")
  }

  /// A search reads thousands of turns, and the loop must serve other requests and signals meanwhile.
  @Test func theLoopContinuesDuringASearch() async throws {
    let directory = NSTemporaryDirectory() + "inspector-journal-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let turns = (1...4100).map { LoggedTurn(position: $0, baseRevision: $0 - 1, revision: $0, time: Int64($0)) }
    try writeJournal(turns, directory)

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
