import ComposableArchitecture
import Features
import FoundationEssentials
import IdentifiedCollections
import ReplicatedArchitecture
import SchemaNames
import TestSupport
import Testing
import Wire

@Replicated
private struct Places: Equatable {
  var byNumber: IdentifiedArrayOf<Item> = []
  var byName: IdentifiedArray<String, Named> = []
  var byUUID: IdentifiedArray<UUID, Unique> = []
  var byPair: IdentifiedArray<Pair, Paired> = []
  var position = Position.nowhere
  var doubled: Int??
  var result: Result<Item, Refusal> = .failure(.never)
  var `strange name` = 0
}

@Replicated
private struct Named: Equatable, Identifiable {
  var id: String
  var note: String?
}

@Replicated
private struct Unique: Equatable, Identifiable {
  var id: UUID
  var count = 0
}

@Replicated
private struct Pair: Hashable {
  var x = 0
  var y = 0
}

@Replicated
private struct Paired: Equatable, Identifiable {
  var id: Pair
  var count = 0
}

@Replicated
private struct Dated: Equatable, Identifiable {
  var id: Date
}

@Suite struct PathNameTests {
  private let app = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)
  private let places = Schema(state: Places.self, action: Bool.self)
  private let parent = Schema(state: Parent.State.self, action: Parent.Action.self)

  @Test func pathsAreReadAndWritten() throws {
    let number = { (number: Int) in PathStep.id(number.encoded()) }
    let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    let cases: [(Schema, String, [PathStep])] = [
      (app, "", []),
      (app, "counter", [0]),
      (app, "counter.count", [0, 0]),
      (app, "counter.factAlert", [0, 4]),
      (app, "counter.factAlert?", [0, 4, 0]),
      (app, "counter.factAlert.title", [0, 4, 0, 0]),
      (app, "todos.todos[3].text", [1, 0, number(3), 1]),
      (app, "todos.todos[-3]", [1, 0, number(-3)]),
      (app, "favourites.destination.favourites", [2, 3, 0, 1]),
      (parent, "path[#2].name", [4, number(2), 1]),
      (parent, "path[#2]", [4, number(2)]),
      (places, "position.at.x", [4, 1, 0]),
      (places, "position.inside.title", [4, 9, 1]),
      (places, "doubled??", [5, 0, 0]),
      (places, "doubled?", [5, 0]),
      (places, "result.failure.because", [6, 1, 1]),
      (places, "result.success.tags", [6, 0, 7]),
      (places, "`strange name`", [7]),
      (places, #"byName["a \"b\" ]\n\u{202e}"].note"#, [1, .id("a \"b\" ]\n\u{202e}".encoded()), 1]),
      (places, "byUUID[01020304-0506-0708-090A-0B0C0D0E0F10]", [2, .id(uuid.encoded())]),
      (places, "byPair[h'a200010102'].count", [3, .id(Pair(x: 1, y: 2).encoded()), 1]),
    ]
    for (schema, name, path) in cases {
      #expect(try schema.path(named: name) == path, "\(name)")
      #expect(try schema.name(of: path) == name)
    }
  }

  /// A peer may attach to the element of any date.
  @Test(
    arguments: [
      (0, #"["2001-01-01T00:00:00Z"]"#), (9.223372036854774e18, "[9.223372036854774e+18]"),
      (-9.223372036854774e18, "[-9.223372036854774e+18]"), (.infinity, #"["Infinity"]"#), (.nan, #"["NaN"]"#),
    ] as [(Double, String)])
  func anElementIsNamedByAnyDate(seconds: Double, name: String) throws {
    let schema = Schema(state: IdentifiedArrayOf<Dated>.self, action: Bool.self)
    let path = [PathStep.id(Date(timeIntervalSinceReferenceDate: seconds).encoded())]
    #expect(try schema.name(of: path) == name)
  }

  @Test func otherWaysToWriteAPathAreUnderstood() throws {
    #expect(try app.path(named: ".") == [])
    #expect(try app.path(named: ".counter.count") == [0, 0])
    #expect(try app.path(named: "counter.") == [0])
    #expect(try app.path(named: "counter.factAlert?.title") == [0, 4, 0, 0])
    #expect(try app.path(named: "`counter`.count") == [0, 0])
    #expect(try places.path(named: "position.at.1") == [4, 1, 1])
    // A shell removes quotes.
    #expect(try places.path(named: "byName[milk]") == [1, .id("milk".encoded())])
    #expect(try places.path(named: "byName[3]") == [1, .id("3".encoded())])
  }

  @Test(arguments: [
    ("cuonter.count", "AppFeature.State has no field 'cuonter'; did you mean 'counter.count'?"),
    ("count", "AppFeature.State has no field 'count'; did you mean 'counter.count', 'favourites.count' or 'counter'?"),
    ("counter.Count", "Counter.State has no field 'Count'; did you mean 'counter.count'?"),
    ("counter.count.x", "'count' of Counter.State (Int) has no part that can be named"),
    ("counter.count?", "'count' of Counter.State (Int) is not optional"),
    ("counter[3]", "'counter' of AppFeature.State (Counter.State) has no elements with ids"),
    (
      "todos.todos.text",
      "the elements of 'todos' of Todos.State are found by id, as in 'todos.todos[…]'"
    ),
    (
      "todos.todos[bread]",
      "'[bread]' is not the id of an element of 'todos' of Todos.State: expected a value of type Int, not the string \"bread\""
    ),
    ("todos.todos[", "'todos.todos[': an id must stand between the brackets"),
    ("todos.todos[3", "'todos.todos[3': the closing ] is missing"),
    ("todos..todos", "'todos..todos': a name must stand between two points"),
    ("todos.todos[3]text", "'todos.todos[3]text': expected '.', '[' or '?'"),
  ]) func mistakesAreNamed(name: String, reason: String) {
    let error = #expect(throws: SchemaNameError.self) { try app.path(named: name) }
    #expect(error?.description == reason)
  }

  @Test func mistakesInCasesAndStacksAreNamed() {
    func reason(_ schema: Schema, _ name: String) -> String? {
      #expect(throws: SchemaNameError.self) { try schema.path(named: name) }?.description
    }
    #expect(reason(places, "position.nowhere") == "the case 'nowhere' of Position holds nothing")
    #expect(
      reason(places, "position.at")
        == "'at' of Position has 2 values, and the path must name one; did you mean 'position.at.x' or 'position.at.y'?"
    )
    #expect(
      reason(places, "position.at.z")
        == "'at' of Position has no value 'z'; did you mean 'position.at.x' or 'position.at.y'?")
    #expect(
      reason(parent, "path[2]")
        == "'[2]' is not the id of an element of 'path' of Parent.State: an element of a stack is named with #, as in [#2]"
    )
    #expect(reason(parent, "path.x") == "the elements of 'path' of Parent.State are found by id, as in 'path[#1]'")
  }

  /// Every place of a schema has a name that gives its path.
  @Test func everyPlaceHasItsName() throws {
    for schema in [app, places, parent, Schema(state: World.self, action: Bool.self)] {
      var pending: [[PathStep]] = [[]]
      var count = 0
      while let path = pending.popLast(), count < 500 {
        count += 1
        if let name = try? schema.name(of: path) { #expect(try schema.path(named: name) == path, "\(name)") }
        guard path.count < 5 else { continue }
        for step in (0...9).map({ PathStep.key($0) }) + [.id(Int(5).encoded()), .id("x".encoded())] {
          // A case with several values is not a place, but its values may be.
          if (try? schema.type(at: path + [step])) != nil || (try? schema.type(at: path + [step, 0])) != nil {
            pending.append(path + [step])
          }
        }
      }
      #expect(count > 10)
    }
  }

  @Test func whatMayFollowIsOffered() {
    func offered(_ text: String, _ ids: [Int] = []) -> [String] {
      app.pathCompletions(text) { path in path == [1, 0] ? ids.map { "[\($0)]" } : [] }.map(\.text)
    }
    #expect(offered("") == ["counter.", "todos.", "favourites."])
    #expect(offered("c") == ["counter."])
    #expect(offered("counter.c") == ["counter.count"])
    #expect(offered("counter.factAlert.") == ["counter.factAlert.title"])
    #expect(offered("todos.t") == ["todos.todos["])
    #expect(offered("todos.todos[", [1, 12]) == ["todos.todos[1]", "todos.todos[12]"])
    #expect(offered("todos.todos[12", [1, 12]) == ["todos.todos[12]"])
    #expect(offered("todos.todos[12].t") == ["todos.todos[12].text"])
    #expect(offered("nothing.") == [])
    #expect(offered("todos.todos[12]") == [])
  }
}
