import ComposableArchitecture
import Features
import IdentifiedCollections
import SchemaNames
import Testing
import Wire

@testable import StorectlCommands

@Suite struct ValueTextTests {
  private let schema = Schema(state: AppFeature.State.self, action: AppFeature.Action.self)

  private func lines(_ state: AppFeature.State, width: Int = 80) throws -> [String] {
    let value = try CBORValue(decoding: state.encoded().span.bytes)
    return ValueText(schema, Palette(isOn: false), width: width).lines(value, schema.state)
  }

  @Test func aStateIsReadInLines() throws {
    var state = AppFeature.State()
    state.counter.count = 3
    state.todos.todos = [Todo.State(id: 1, text: "a\u{1b}[2J\"\n水"), Todo.State(id: 12, text: "b", isComplete: true)]
    #expect(
      try lines(state) == [
        "counter:", "  count: 3", "  numberFact: nil", "  isLoadingFact: false", "  isTimerOn: false",
        "  factAlert: nil", "todos:", "  todos: (2)",
        #"    [1] id: 1, text: "a\u001b[2J\"\n水", isComplete: false"#,
        #"    [12] id: 12, text: "b", isComplete: true"#, "  nextID: 0", "favourites:", "  count: 0",
        "  favourites: []", "  isLoadingFact: false", "  destination: nil",
      ])
    // A value that does not fit into a line is split into its parts.
    #expect(try lines(state, width: 30).contains("      text: \"b\""))
  }

  @Test func differencesAreSmall() throws {
    var old = AppFeature.State()
    old.todos.todos = [Todo.State(id: 1, text: "a"), Todo.State(id: 2, text: "b"), Todo.State(id: 3, text: "c")]
    var new = old
    new.counter.count = 1
    new.counter.numberFact = "fact"
    new.todos.todos.remove(id: 1)
    new.todos.todos[id: 3]?.text = "d"
    let values = SchemaValues(schema)
    func differences(_ old: AppFeature.State, _ new: AppFeature.State) throws -> [String] {
      try values.differences(
        from: CBORValue(decoding: old.encoded().span.bytes), to: CBORValue(decoding: new.encoded().span.bytes),
        as: schema.state
      ).map { "\($0.path): \($0.old?.description ?? "-") \($0.new?.description ?? "-")" }
    }
    #expect(
      try differences(old, new) == [
        ".counter.count: 0 1", #".counter.numberFact: null ["fact"]"#,
        #".todos.todos[1]: {0: 1, 1: "a", 2: false} -"#, #".todos.todos[3].text: "c" "d""#,
      ])
    #expect(try differences(new, new) == [])
    var moved = old
    moved.todos.todos.swapAt(0, 2)
    #expect(try differences(old, moved).map { $0.prefix { $0 != ":" } } == [".todos.todos[2]", ".todos.todos[1]"])
  }

  @Test func sparklinesShowTheNewest() {
    #expect(History.sparkline([0, 1, 2, 4, 8], columns: 4, isUnicode: true) == "▂▃▅█")
    #expect(History.sparkline([0, 0], columns: 4, isUnicode: false) == "__")
    #expect(History.sparkline([1], columns: -1, isUnicode: true) == "")
  }
}
