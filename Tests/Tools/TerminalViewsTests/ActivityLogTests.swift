import Features
import Testing
import TurnLog
import Wire

@testable import TerminalViews

@Suite struct ActivityLogTests {
  /// A thousand actions are kept, and each may have a megabyte.
  @Test func onlyTheBeginningOfALongActionIsKept() throws {
    let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
    func text(_ length: Int) throws -> String {
      let action = AppFeature.Action.todos(.addButtonTapped(text: String(repeating: "ä", count: length)))
      return ActivityLog.text(try CBORValue(decoding: action.encoded().span.bytes), schema)
    }
    #expect(try text(3) == "todos.addButtonTapped \"äää\"")
    let long = try text(1_000_000)
    #expect(long.count == 1001 && long.hasPrefix("todos.addButtonTapped \"äää") && long.hasSuffix("ä…"))
  }

  @Test func aChangeOfASharedModelIsShownInWords() throws {
    var schema = Schema(state: AppFeature.State.self, action: Bool.self)
    guard case .definition(let app) = schema.state, case .fields(let fields) = schema.definitions[app].content else {
      return
    }
    let cases = fields.map {
      Schema.Case(key: $0.key, name: $0.name, payload: [Schema.Payload(label: "", type: .named("Change", [$0.type]))])
    }
    schema.definitions.append(Schema.Definition(name: "SharedChange", content: .cases(cases)))
    schema.action = .definition(schema.definitions.count - 1)
    // [1, {0: {0: [4], 3: [7, {1: "x"}]}}]
    let bytes: [UInt8] = [0x82, 1, 0xa1, 0, 0xa2, 0, 0x81, 4, 3, 0x82, 7, 0xa1, 1, 0x61, 0x78]
    let action = try CBORValue(decoding: bytes.span.bytes)
    #expect(ActivityLog.text(action, schema) == #"remove todos.todos[4]; set todos.todos[7].text = "x""#)
  }

  @Test func anActionHasTheRevisionAfterItIfThatIsKnown() {
    let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
    let actions: [AppFeature.Action] = [.counter(.incrementButtonTapped), .todos(.clearCompletedButtonTapped)]
    let session = LoggedSession(
      id: SessionID(high: 1, low: 2), user: .max, process: 1, name: "someone", processed: 1)
    let runs = [
      LoggedActions(origin: .session(session.id, first: 1), count: 1, actions: actions[0].encoded()),
      LoggedActions(origin: .hub, count: 1, actions: actions[1].encoded()),
    ]
    func entries(upTo revision: UInt64) -> [Activity] {
      let turn = LoggedTurn(
        position: 1, baseRevision: 10, revision: revision, time: 0, actions: runs.flatMap { $0.encoded() },
        sessions: [session])
      return ActivityLog.entries(of: turn, schema)
    }
    let known = entries(upTo: 12)
    #expect(known.map(\.id) == [Activity.ID(1, 0), Activity.ID(1, 1)] && known.map(\.revision) == [11, 12])
    #expect(known.map(\.name) == ["counter.incrementButtonTapped", "todos.clearCompletedButtonTapped"])
    #expect(known.map(\.what) == ["counter.incrementButtonTapped", "todos.clearCompletedButtonTapped"])
    #expect(known.map(\.who) == ["user \(UInt32.max) someone", "the hub"])
    // A session may end in the turn of its last action; the record of the end has no process.
    let end = LoggedSession(
      id: session.id, user: .max, process: 0, name: "someone", processed: 1, hasEnded: true)
    let last = LoggedTurn(
      position: 1, baseRevision: 10, revision: 12, time: 0, actions: runs.flatMap { $0.encoded() },
      sessions: [session, end])
    #expect(last.decodedActions(schema).first?.session?.process == 1)
    // The effect of one of the two has sent a third action at once.
    let unknown = entries(upTo: 13)
    #expect(unknown.map(\.id) == known.map(\.id) && unknown.map(\.revision) == [13, 13])
  }
}
