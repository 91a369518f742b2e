import ComposableArchitecture
import Features
import HTTPServer
import IdentifiedCollections
import JSONText
import SchemaNames
import Testing
import Wire

@testable import StorectlCommands

@Suite struct InspectorTests {
  private let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
  private var values: SchemaValues { SchemaValues(schema) }

  private func value(_ state: AppFeature.State) throws -> CBORValue {
    try CBORValue(decoding: state.encoded().span.bytes)
  }

  private func state(todos count: Int) -> AppFeature.State {
    var state = AppFeature.State()
    state.todos.todos = IdentifiedArray(uniqueElements: (0..<count).map { Todo.State(id: 3 * $0, text: "todo \($0)") })
    return state
  }

  private func nodes(_ tree: InspectorTree, _ windows: [InspectorTree.Window], of value: CBORValue) -> [JSONValue] {
    windows.map { tree.node($0, of: value, schema.state, schema) }
  }

  private func names(_ node: JSONValue) -> [JSONValue?] {
    guard case .array(let rows)? = node["rows"] else { return [] }
    return rows.map { $0["name"] }
  }

  @Test func collectionsComeInWindows() throws {
    let value = try value(state(todos: 250))
    let tree = InspectorTree()
    let found = nodes(
      tree,
      [
        .init(place: []), .init(place: ["todos", "todos"], first: 200), .init(place: ["todos", "todos"], first: 9000),
        .init(place: ["todos", "todos", "[30]"]), .init(place: ["todos", "nothing"]),
      ], of: value)
    #expect(names(found[0]) == ["counter", "todos", "favourites"])
    #expect(found[0]["isList"] == .bool(false))
    #expect(found[1]["count"] == .integer(250) && found[1]["first"] == .integer(200))
    #expect(names(found[1]).count == 50 && names(found[1]).first == "[600]")
    // A window after the end is replaced by the last one.
    #expect(found[2]["first"] == .integer(200))
    #expect(names(found[3]) == ["id", "text", "isComplete"])
    #expect(found[4] == .null)
  }

  @Replicated struct Collections {
    var tags: Set<String>? = ["a"]
    var names = [0: "zero", 7: "seven"]
    var list = [1, 2]
  }

  /// The members of a set have no names; keys may be numbers.
  @Test func collectionsOfEveryKindAreShown() throws {
    let schema = Schema(state: Collections.self, action: Bool.self)
    func line(_ state: Collections) throws -> String {
      InspectorText(schema).line(try CBORValue(decoding: state.encoded().span.bytes), schema.state)
    }
    #expect(try line(Collections()) == #"tags: ["a"], names: 2 elements, list: 2 elements"#)
    var state = Collections()
    state.tags = []
    #expect(try line(state) == "tags: [], names: 2 elements, list: 2 elements")
    let part = try #require(
      SchemaValues(schema).part(
        at: try schema.path(named: "names"), of: try CBORValue(decoding: state.encoded().span.bytes), as: schema.state))
    #expect(InspectorText(schema).line(part.value, part.type) == #"[[0] "zero", [7] "seven"]"#)
  }

  @Test func elementsAreFoundWhereTheyHaveMoved() throws {
    let tree = InspectorTree()
    var state = state(todos: 40)
    let place = ["todos", "todos", "[60]", "text"]
    #expect(tree.part(at: place, of: try value(state), schema.state, values)?.value == .text("todo 20"))
    state.todos.todos.move(fromOffsets: [20], toOffset: 0)
    #expect(tree.part(at: place, of: try value(state), schema.state, values)?.value == .text("todo 20"))
    state.todos.todos.remove(id: 60)
    #expect(tree.part(at: place, of: try value(state), schema.state, values) == nil)
  }

  @Test func pathsLeadToPlaces() throws {
    let value = try value(state(todos: 250))
    func located(_ path: String) -> [InspectorTree.Window]? {
      InspectorTree().locate(path, in: value, schema.state, values)
    }
    #expect(located("") == [.init(place: [])])
    #expect(
      located("todos.todos[600].text") == [
        .init(place: []), .init(place: ["todos"]), .init(place: ["todos", "todos"], first: 200),
        .init(place: ["todos", "todos", "[600]"]), .init(place: ["todos", "todos", "[600]", "text"]),
      ])
    for wrong in ["todo", "todos.todos[601]", "todos.todos[", "todos..todos", "x", "]"] {
      #expect(located(wrong) == nil, "\(wrong)")
    }
  }

  @Test func linesStayShort() throws {
    let text = InspectorText(schema)
    var state = state(todos: 3)
    state.counter.numberFact = String(repeating: "long ", count: 10_000)
    let value = try value(state)
    #expect(text.line(value, schema.state).count < 200)
    let fact = try #require(
      InspectorTree().part(at: ["counter", "numberFact"], of: value, schema.state, values))
    #expect(
      text.line(fact.value, fact.type).hasSuffix("… 50000 bytes") || text.line(fact.value, fact.type).hasSuffix("…"))
  }

  @Test func changesAreCountedAndCut() throws {
    let text = InspectorText(schema)
    let (old, new) = (state(todos: 0), state(todos: 300))
    let changes = text.changes(from: try value(old), to: try value(new), as: schema.state, limit: 10)
    guard case .array(let shown)? = changes["shown"] else {
      Issue.record("no changes are shown")
      return
    }
    #expect(changes["count"] == .integer(300) && shown.count == 10)
    #expect(shown[0]["path"] == "todos.todos[0]" && shown[0]["old"] == nil)
    var moved = state(todos: 5)
    moved.todos.todos.move(fromOffsets: [1], toOffset: 4)
    let order = text.changes(from: try value(state(todos: 5)), to: try value(moved), as: schema.state)
    #expect(
      order["shown"]
        == .array([["path": "todos.todos[3]", "place": "before [12]"]]))
  }

  // MARK: Who may read

  private func request(_ path: String, _ headers: [String: String]) -> HTTPRequest {
    HTTPRequest(path: path, headers: headers)
  }

  @Test(arguments: ["localhost", "127.0.0.1:4000", "LOCALHOST:80", "[::1]:8080"])
  func thisMachineIsServed(host: String) {
    #expect(InspectorGate().refusal(of: request("/", ["host": host])) == nil)
  }

  @Test(arguments: [
    "", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "127.0.0.1:", "127.0.0.1:80x",
    "localhost, evil.example", "127.0.0.2", "localhost@evil.example",
  ])
  func otherNamesAreRefused(host: String) {
    #expect(InspectorGate().refusal(of: request("/", ["host": host]))?.status == 403)
  }

  @Test func otherSitesAreRefused() {
    let gate = InspectorGate()
    let host = "127.0.0.1:4000"
    #expect(gate.refusal(of: request("/", [:]))?.status == 403)
    for origin in [
      "http://evil.example", "null", "http://127.0.0.1:4001", "https://127.0.0.1:4000", "http://localhost:4000",
    ] {
      #expect(gate.refusal(of: request("/api/tree", ["host": host, "origin": origin]))?.status == 403)
    }
    #expect(gate.refusal(of: request("/api/tree", ["host": host, "origin": "http://\(host)"])) == nil)
    for site in ["cross-site", "same-site", "none"] {
      #expect(gate.refusal(of: request("/api/tree", ["host": host, "sec-fetch-site": site]))?.status == 403)
    }
    #expect(gate.refusal(of: request("/api/tree", ["host": host, "sec-fetch-site": "same-origin"])) == nil)
    // A link on another site does not open the page; an address that the user typed or pasted does.
    #expect(gate.refusal(of: request("/", ["host": host, "sec-fetch-site": "cross-site"]))?.status == 403)
    #expect(gate.refusal(of: request("/", ["host": host, "sec-fetch-site": "none"])) == nil)
  }

  @Test func aLinkOpensOneSession() throws {
    var gate = InspectorGate()
    let first = gate.token
    #expect(gate.session(for: request("/api/open", [:])) == nil)
    #expect(gate.session(for: request("/api/open", ["authorization": "Bearer "])) == nil)
    #expect(!gate.isOpen(request("/", ["authorization": "Bearer \(first)"])))
    let opened = gate.session(for: request("/api/open", ["authorization": "Bearer \(first)"]))
    let key = try #require(opened)
    #expect(gate.session(for: request("/api/open", ["authorization": "Bearer \(first)"])) == nil)
    #expect(gate.token != first && key.count == 32)
    #expect(gate.isOpen(request("/", ["authorization": "Bearer \(key)"])))
    #expect(!gate.isOpen(request("/", ["authorization": "Bearer \(first)"])))
    #expect(!gate.isOpen(request("/", ["authorization": key])))
  }
}
