import Foundation
import TestSupport
import Testing

/// The client in `clients/python`, written from docs/PROTOCOL.md alone, with a hub.
///
/// It shares no code with the hub and is independent of the feature: names and types come from the hub's schema.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking, .enabled(if: Python.isInstalled))
struct PythonClientTests {
  private func run(_ hub: HubProcess, _ arguments: String...) throws -> Any { try Python.client(hub, arguments) }

  private func value(_ state: NSDictionary, _ child: String, _ field: String) -> Any? {
    (state[child] as? NSDictionary)?[field]
  }

  @Test func actionsAndDeltasBySchemaAlone() throws {
    let hub = try HubProcess()
    let result = try run(
      hub, "send",
      #"{"counter": "incrementButtonTapped"}"#, #"{"counter": "incrementButtonTapped"}"#,
      #"{"todos": {"addButtonTapped": "bread"}}"#, #"{"todos": {"addButtonTapped": "milk"}}"#,
      #"{"todos": {"addButtonTapped": "eggs"}}"#, #"{"todos": {"addButtonTapped": "salt"}}"#,
      #"{"todos": {"todos": {"element": {"id": 1, "action": {"textChanged": "oat milk"}}}}}"#,
      #"{"todos": {"moved": {"id": 3, "before": 0}}}"#, #"{"todos": {"deleteButtonTapped": 2}}"#,
      #"{"favourites": {"view": "favouriteButtonTapped"}}"#, #"{"favourites": {"view": "favouritesButtonTapped"}}"#,
      #"{"favourites": {"view": "incrementButtonTapped"}}"#,
      #"{"favourites": {"destination": "dismiss"}}"#)
    let answer = try #require(result as? NSDictionary)
    #expect((answer["deltas"] as? Int ?? 0) >= 12)
    let state = try #require(answer["state"] as? NSDictionary)
    #expect(value(state, "counter", "count") as? Int == 2)
    let todos = try #require(value(state, "todos", "todos") as? [NSDictionary])
    #expect(todos.map { $0["text"] as? String } == ["salt", "bread", "oat milk"])
    #expect(todos.map { $0["id"] as? Int } == [3, 0, 1])
    #expect(todos.map { $0["isComplete"] as? Bool } == [false, false, false])
    // Opened, changed and dismissed.
    #expect(value(state, "favourites", "destination") is NSNull)
    // Another client, which has received no delta, has the same state.
    #expect(try run(hub, "state") as? NSDictionary == state)
  }
}
