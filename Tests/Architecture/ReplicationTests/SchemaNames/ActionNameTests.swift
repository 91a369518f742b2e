import ComposableArchitecture
import Features
import JSONParser
import JSONText
import SchemaNames
import TestSupport
import Testing
import Wire

@Suite struct ActionNameTests {
  private let app = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
  private let parent = Schema(state: Parent.State.self, action: Parent.Action.self)

  private func make(_ name: String, _ values: String...) throws -> [UInt8] {
    let json = try values.map { try JSONValue(parsing: $0) }
    return try app.action(try app.actionPath(named: name), json).encoded()
  }

  private func action(_ action: AppFeature.Action) -> [UInt8] { action.encoded() }

  @Test func actionsAreMadeOfNamesAndValues() throws {
    #expect(try make("counter.incrementButtonTapped") == action(.counter(.incrementButtonTapped)))
    #expect(try make("todos.addButtonTapped", #""bread""#) == action(.todos(.addButtonTapped(text: "bread"))))
    let moved = action(.todos(.moved(id: 3, before: 0)))
    #expect(try make("todos.moved", "3", "0") == moved)
    #expect(try make("todos.moved", "[3, 0]") == moved)
    #expect(try make("todos.moved", #"{"before": 0, "id": 3}"#) == moved)
    #expect(try make("todos.moved", #"{"id": 3}"#) == action(.todos(.moved(id: 3, before: nil))))
    #expect(try make("todos", #"{"moved": {"id": 3, "before": 0}}"#) == moved)
    #expect(try make("", #"{"todos": {"moved": {"id": 3, "before": 0}}}"#) == moved)
    let edited = action(.todos(.todos(.element(id: 3, action: .textChanged("oat milk")))))
    #expect(try make("todos.todos[3].textChanged", #""oat milk""#) == edited)
    #expect(try make("todos.todos.element", "3", #"{"textChanged": "oat milk"}"#) == edited)
    #expect(try make("todos.todos[3]", #"{"textChanged": "oat milk"}"#) == edited)
  }

  /// Hubs tell rights as the first bytes of actions.
  @Test(arguments: [
    "", "counter", "todos.todos", "todos.todos[3]", "todos.todos[-70000].textChanged", "todos.todos.element",
    "favourites.destination.presented", "counter.incrementButtonTapped",
  ])
  func theFirstBytesOfActionsHaveAName(name: String) throws {
    let path = try app.actionPath(named: name)
    let prefix = try #require(app.actionPrefix(of: path))
    let found = try #require(app.actionPath(ofPrefix: prefix))
    #expect(app.actionPrefix(of: found) == prefix)
    #expect(app.name(ofAction: found) == name)
  }

  @Test(arguments: [[0x18], [0x82], [0x82, 0x19], [0x83, 0x00], [0x82, 0x01, 0x82, 0x18], [0xff]] as [[UInt8]])
  func otherFirstBytesHaveNone(bytes: [UInt8]) {
    #expect(app.actionPath(ofPrefix: bytes) == nil)
  }

  /// Returns an action's text, after checking that it gives the same action.
  private func text(_ schema: Schema, _ bytes: [UInt8]) throws -> String {
    let action = try CBORValue(decoding: bytes.span.bytes)
    let parts = try #require(schema.parts(ofAction: action))
    let name = try #require(schema.name(ofAction: parts.path))
    let json = parts.values.map { SchemaJSON(schema).json(of: $0.value, as: $0.payload.type) }
    #expect(try schema.action(try schema.actionPath(named: name), json).encoded() == bytes)
    let whole = SchemaJSON(schema).json(of: action, as: schema.action)
    #expect(try schema.action([], [whole]).encoded() == bytes)
    return schema.text(ofAction: action)
  }

  @Test func actionsAreWritten() throws {
    #expect(try text(app, action(.counter(.incrementButtonTapped))) == "counter.incrementButtonTapped")
    #expect(
      try text(app, action(.todos(.addButtonTapped(text: "br\u{1b}ead")))) == #"todos.addButtonTapped "br\u001bead""#)
    #expect(try text(app, action(.todos(.moved(id: 3, before: nil)))) == "todos.moved 3 null")
    #expect(
      try text(app, action(.todos(.todos(.element(id: 3, action: .completionChanged(true))))))
        == "todos.todos[3].completionChanged true")
    #expect(try text(app, action(.favourites(.destination(.dismiss)))) == "favourites.destination.dismiss")
    #expect(try text(parent, Parent.Action.path(.popFrom(id: 2)).encoded()) == "path.popFrom 2")
    #expect(
      try text(parent, Parent.Action.path(.push(id: 2, state: Child.State(id: 1))).encoded()).hasPrefix("path.push 2 {")
    )
    #expect(app.text(ofAction: .text("?")) == #""?""#)
  }

  @Test func pathsOfActionsHaveKeys() throws {
    #expect(try app.actionPath(named: "counter.incrementButtonTapped") == [0, 1])
    #expect(try app.actionPath(named: "todos") == [1])
    #expect(try app.actionPath(named: "todos.todos[3].textChanged") == [1, 5, .id(Int(3).encoded()), 1])
    #expect(app.name(ofAction: [1, 5, .id(Int(3).encoded()), 1]) == "todos.todos[3].textChanged")
    #expect(app.name(ofAction: [9]) == nil)
    #expect(try parent.actionPath(named: "path[#2]").count == 2)
    #expect(app.payload(ofAction: [1, 3])?.map(\.label) == ["id", "before"])
  }

  @Test(arguments: [
    ("counter.incrementButonTapped", "did you mean 'counter.incrementButtonTapped'?"),
    ("todos.addd", "did you mean 'todos.addButtonTapped'?"), ("counter.decremnt", "'counter.decrementButtonTapped'?"),
    (
      "incrementButtonTapped",
      "did you mean 'counter.incrementButtonTapped' or 'favourites.view.incrementButtonTapped'?"
    ),
    ("counter.incrementButtonTapped.x", "'counter.incrementButtonTapped' is whole already"),
    ("todos.addButtonTapped.bread", "holds a value of type String"),
    ("todos[3]", "'todos' is for no element"),
    ("todos.todos[x].textChanged", "the id of the element: expected a value of type Int"),
  ]) func mistakesAreNamed(name: String, reason: String) {
    let error = #expect(throws: SchemaNameError.self) { try app.actionPath(named: name) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test func wrongValuesAreNamed() {
    func reason(_ name: String, _ values: JSONValue...) -> String? {
      #expect(throws: SchemaValueError.self) { try app.action(try app.actionPath(named: name), values) }?.description
    }
    #expect(reason("counter.incrementButtonTapped", .null) == "the case 'incrementButtonTapped' holds nothing")
    #expect(reason("todos.addButtonTapped") == "addButtonTapped(text: String) needs 1 value, not 0")
    #expect(
      reason("todos.addButtonTapped", .number("3"))
        == "addButtonTapped: expected a value of type String, not the number 3")
    #expect(
      reason("todos.moved", ["id": .number("3"), "befor": .null])
        == "moved: there is no value 'befor'; did you mean 'before'?")
    #expect(
      reason("todos.moved", ["id": .number("1.5")])
        == "moved.id: expected a value of type Int, not the number 1.5")
    #expect(reason("counter", "dcrementButtonTapped")?.hasSuffix("did you mean 'decrementButtonTapped'?") == true)
  }

  @Test func whatMayFollowIsOffered() {
    #expect(app.actionCompletions("c").map(\.text) == ["counter."])
    let whole = app.actionCompletions("counter.inc")
    #expect(whole.map(\.text) == ["counter.incrementButtonTapped"] && whole.first?.isWhole == true)
    #expect(app.actionCompletions("todos.t").map(\.text) == ["todos.todos[", "todos.todos."])
    let ids = app.actionCompletions("todos.todos[") { _ in ["[7]"] }
    #expect(ids.map(\.text) == ["todos.todos[7]"])
    #expect(app.actionCompletions("todos.todos[7].t").map(\.text) == ["todos.todos[7].textChanged"])
  }
}
