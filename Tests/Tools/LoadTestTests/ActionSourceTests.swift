import FeatureCore
import Features
import IdentifiedCollections
import SchemaNames
import Testing
import Wire

@testable import LoadTest

/// The features of storehubd, known only by their schema.
enum Hub {
  static let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)

  static func state(todos count: Int, count number: Int = 0) -> AppFeature.State {
    var state = AppFeature.State()
    state.counter.count = number
    state.todos = Todos.State(todos: .init(uniqueElements: (0..<count).map { Todo.State(id: $0 * 3, text: "t\($0)") }))
    return state
  }

  static func plan(_ text: String, connections: Int = 1) throws -> Plan {
    var plan = try Scenario.plan(parsing: text, name: "test")
    plan.connections = connections
    return plan
  }
}

@Suite struct ActionSourceTests {
  private func actions(_ source: ActionSource, _ range: Range<Int>, of connection: Int) throws -> [AppFeature.Action] {
    var encoder = CBOREncoder()
    #expect(source.encode(range, of: connection, limit: .max, to: &encoder) == range.count)
    let bytes = encoder.bytes
    var decoder = CBORDecoder(bytes.span.bytes)
    return try range.map { _ in try AppFeature.Action(from: &decoder) }
  }

  private func source(
    _ text: String, todos: Int = 10, connections: Int = 1, payload: Int = 0
  ) throws -> ActionSource {
    var plan = try Hub.plan(text, connections: connections)
    plan.payload = payload
    return try ActionSource(plan, schema: Hub.schema, state: Hub.state(todos: todos).encoded(), run: "RUN")
  }

  @Test func placeholdersBecomeValues() throws {
    let edit = try source("[action a]\nsend = todos.todos[{id}].textChanged \"{run} {n}\"\nids = todos.todos", todos: 1)
    #expect(
      try actions(edit, 0..<2, of: 0) == [
        .todos(.todos(.element(id: 0, action: .textChanged("RUN 0")))),
        .todos(.todos(.element(id: 0, action: .textChanged("RUN 1")))),
      ])
    let move = try source(
      "[action a]\nsend = todos.moved {\"id\": {id}, \"before\": {next}}\nids = todos.todos", todos: 2)
    #expect(
      try actions(move, 0..<2, of: 0) == [.todos(.moved(id: 0, before: 3)), .todos(.moved(id: 3, before: 0))])
    let word = try source("[action a]\nsend = todos.addButtonTapped bread")
    #expect(try actions(word, 0..<1, of: 0) == [.todos(.addButtonTapped(text: "bread"))])
    let number = try source("[action a]\nsend = todos.deleteButtonTapped {random:-5..-5}")
    #expect(try actions(number, 3..<4, of: 0) == [.todos(.deleteButtonTapped(id: -5))])
    let many = try source("[action a]\nsend = todos.deleteButtonTapped {n}")
    #expect(
      try actions(many, 70_000..<70_001, of: 0) == [.todos(.deleteButtonTapped(id: 70_000))])
  }

  /// Ids of another type than in the features here, by a schema that declares it.
  @Test(arguments: ["UUID", "String"]) func elementsMayHaveIdsOfOtherTypes(type: String) throws {
    func changed(_ old: SchemaType) -> SchemaType {
      guard case .named(let name, let parts) = old else { return old }
      return name == "Int" ? .named(type) : .named(name, parts.map(changed))
    }
    var schema = Hub.schema
    for index in schema.definitions.indices where schema.definitions[index].name != "Counter.State" {
      switch schema.definitions[index].content {
      case .fields(let fields):
        schema.definitions[index].content = .fields(
          fields.map { .init(key: $0.key, name: $0.name, type: changed($0.type), hasDefault: $0.hasDefault) })
      case .cases(let cases):
        schema.definitions[index].content = .cases(
          cases.map { element in
            .init(
              key: element.key, name: element.name,
              payload: element.payload.map { .init(label: $0.label, type: changed($0.type)) })
          })
      }
    }
    let ids = (0..<3).map { number -> CBORValue in
      type == "UUID" ? .bytes(Array(repeating: UInt8(number), count: 16)) : .text("todo \(number)")
    }
    let todos = ids.map { id -> CBORValue in
      .map([.init(key: .unsigned(0), value: id), .init(key: .unsigned(1), value: .text("x"))])
    }
    let list = CBORValue.map([.init(key: .unsigned(0), value: .array(todos))])
    let state = CBORValue.map([.init(key: .unsigned(1), value: list)])
    let plan = try Hub.plan(
      "[action a]\nsend = todos.todos[{id}].textChanged \"{run} {n}\"\nids = todos.todos\n"
        + "[action b]\nsend = todos.moved {id} {next}\nids = todos.todos")
    let source = try ActionSource(plan, schema: schema, state: state.encoded(), run: "RUN")
    var encoder = CBOREncoder()
    _ = source.encode(0..<6, of: 0, limit: .max, to: &encoder)
    let bytes = encoder.bytes
    var decoder = CBORDecoder(bytes.span.bytes)
    let id = type == "UUID" ? "00000000-0000-0000-0000-000000000000" : "\"todo 0\""
    let next = type == "UUID" ? "01010101-0101-0101-0101-010101010101" : "todo 1"
    var texts: [String] = []
    for _ in 0..<6 { texts.append(schema.text(ofAction: try CBORValue(from: &decoder))) }
    let isWhole = decoder.isAtEnd
    #expect(isWhole)
    #expect(texts.contains { $0.hasPrefix("todos.todos[\(id)].textChanged \"RUN ") }, "\(texts)")
    #expect(texts.contains { $0.hasPrefix("todos.moved ") && $0.hasSuffix("\"\(next)\"") }, "\(texts)")
  }

  @Test func randomNumbersOfAnActionAreIndependent() throws {
    let move = try source("[action a]\nsend = todos.moved {random:0..999999} {random:0..999999}")
    let found = try actions(move, 0..<20, of: 0)
    #expect(!found.contains { if case .todos(.moved(let id, let before)) = $0 { id == before } else { true } })
  }

  @Test func rangesMayBeAsLargeAsTheirType() throws {
    let text = "[action a]\nsend = todos.deleteButtonTapped {random:\(Int.min)..\(Int.max)}"
    #expect(Set(try actions(try source(text), 0..<20, of: 0).map { "\($0)" }).count == 20)
    _ = try actions(try source("[action a]\nsend = todos.deleteButtonTapped {random:0..\(Int.max)}"), 0..<20, of: 0)
  }

  @Test func escapesInTextsWithPlaceholdersAreDecoded() throws {
    let add = try source("[action a]\nsend = todos.addButtonTapped \"say \\\"hi\\\" \\u00e9 {n}\"")
    #expect(try actions(add, 3..<4, of: 0) == [.todos(.addButtonTapped(text: "say \"hi\" é 3"))])
  }

  @Test func textsAreFilledUp() throws {
    let add = try source("[action a]\nsend = todos.addButtonTapped \"{text}\"", payload: 300)
    guard case .todos(.addButtonTapped(let text)) = try actions(add, 12..<13, of: 0)[0] else {
      Issue.record("another action")
      return
    }
    #expect(text.utf8.count == 300 && text.hasPrefix("RUN-12 xxx"))
  }

  @Test func constantActionsAreCopiedFromAnyPlace() throws {
    let text =
      "[action a]\nweight = 2\nsend = counter.incrementButtonTapped\n[action b]\nsend = counter.decrementButtonTapped"
    let source = try source(text)
    let all = try actions(source, 0..<10_000, of: 0)
    #expect(all.count { $0 == .counter(.decrementButtonTapped) } == 3333)
    #expect(try actions(source, 4090..<9001, of: 0) == Array(all[4090..<9001]))
  }

  @Test func aTogglePassesOverTheListAndBack() throws {
    let toggle = """
      [action a]
      send = todos.todos[{id}].completionChanged {toggle}
      ids = todos.todos
      sets = todos.todos[{id}].isComplete {toggle}
      """
    let found = try actions(try source(toggle, todos: 4), 0..<8, of: 0)
    let flags = found.map { action -> Bool? in
      if case .todos(.todos(.element(id: _, action: .completionChanged(let flag)))) = action { flag } else { nil }
    }
    #expect(flags == [true, true, true, true, false, false, false, false])
  }

  @Test func connectionsHaveElementsOfTheirOwn() throws {
    let text = """
      [action edit]
      weight = 2
      send = todos.todos[{id}].textChanged "{n}"
      ids = todos.todos
      [action delete]
      send = todos.deleteButtonTapped {id}
      ids = todos.todos
      removes = yes
      """
    let source = try source(text, todos: 101, connections: 4)
    var (edited, deleted): ([Set<Int>], [Int]) = (Array(repeating: [], count: 4), [])
    for connection in 0..<4 {
      for index in 0..<200 {
        let choice = source.choice(index, of: connection)
        let element = try #require(choice.ownElement)
        if source.kinds[choice.kind].removes { deleted.append(element) } else { edited[connection].insert(element) }
        // The same element again.
        #expect(source.choice(index, of: connection).values.element == element)
      }
    }
    #expect(Set(deleted).count == deleted.count && deleted.count == 13 + 3 * 12)
    for connection in 0..<4 {
      #expect(edited[connection].isDisjoint(with: deleted))
      for other in 0..<connection { #expect(edited[connection].isDisjoint(with: edited[other])) }
    }
  }

  /// Otherwise a shared element's value could differ from the one that its owner verifies.
  @Test func fewerElementsThanConnectionsAreNobodysOwn() throws {
    let text = "[action edit]\nsend = todos.todos[{id}].textChanged \"{n}\"\nids = todos.todos"
    let source = try source(text, todos: 3, connections: 5)
    for connection in 0..<5 { #expect(source.choice(7, of: connection).ownElement == nil) }
  }

  @Test(arguments: [
    ("[action a]\nsend = todos.todos[{id}].textChanged \"x\"", "in a scenario by 'ids = PATH'"),
    ("[action a]\nsend = counter.increment", "incrementButtonTapped"),
    ("[action a]\nsend = todos.addButtonTapped {what}", "there is no placeholder {what}"),
    ("[action a]\nsend = todos.todos[{id}].textChanged \"x\"\nids = counter.count", "is not a collection"),
    ("[action a]\nsend = todos.addButtonTapped {id}\nids = todos.todos", "{id} would be a value of another type"),
    ("[action a]\nsend = todos.addButtonTapped \"x {random:1..6}\"", "but not {random:"),
    ("[action a]\nsend = todos.addButtonTapped \"{id}\"\nids = todos.todos", "but not {id}"),
    (
      "[action a]\nsend = counter.incrementButtonTapped\n"
        + "[action b]\nsend = todos.deleteButtonTapped {id}\nids = todos.todos\nremoves = yes\n"
        + "[action c]\nsend = todos.deleteButtonTapped {id}\nids = todos.todos\nremoves = yes", "only one may"
    ),
  ]) func whatDoesNotFitIsExplained(text: String, reason: String) {
    let error = #expect(throws: LoadError.self) { try source(text) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [(0, 3), (10, 3), (10, 1), (2, 3)]) func kindsAreCountedWithoutTheirActions(
    todos: Int, connections: Int
  ) throws {
    let add = "[action add]\nsend = todos.addButtonTapped bread\nweight = 3\n"
    let delete = "[action delete]\nsend = todos.deleteButtonTapped {id}\nids = todos.todos\nremoves = yes\nweight = 2\n"
    let edit = "[action edit]\nsend = todos.todos[{id}].textChanged x\nids = todos.todos\n"
    let increment = "[action increment]\nsend = counter.incrementButtonTapped\n"
    for text in [increment, increment + add] + (todos > 0 ? [delete, add + delete, add + edit + delete] : []) {
      let source = try source(text, todos: todos, connections: connections)
      for connection in 0..<connections {
        var counts = source.kinds.map { _ in 0 }
        for index in 0..<60 {
          #expect(source.kindCounts(ofFirst: index, of: connection) == counts)
          counts[source.choice(index, of: connection).kind] += 1
        }
      }
    }
  }
}
