import ComposableArchitecture
import Testing

/// A form in the style before 1.7.
private struct Form: Reducer {
  struct State: Equatable {
    @BindingState var name = ""
    @BindingState var age = 0
    var changes: [String] = []
  }

  enum Action: BindableAction, Equatable {
    case binding(BindingAction<State>)
  }

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .binding(\.$name): state.changes.append("name is \(state.name)")
      case .binding(\.$age): state.changes.append("age is \(state.age)")
      case .binding: break
      }
      return .none
    }
  }
}

@MainActor
@Suite struct BindingStateTests {
  @Test func fieldsAreSetAndToldApart() {
    let store = Store(initialState: Form.State()) { Form() }
    store.send(.binding(.set(\.$name, "Blob")))
    store.send(.binding(.set(\.$age, 42)))
    #expect(store.name == "Blob" && store.age == 42)
    #expect(store.changes == ["name is Blob", "age is 42"])
  }

  @Test func actionsAreEqualByFieldAndValue() {
    #expect(Form.Action.binding(.set(\.$name, "a")) == .binding(.set(\.$name, "a")))
    #expect(Form.Action.binding(.set(\.$name, "a")) != .binding(.set(\.$name, "b")))
    #expect(Form.Action.binding(.set(\.$age, 1)) != .binding(.set(\.$name, "1")))
  }

  @Test func aFieldIsItsValueInDumpsAndEquality() {
    #expect(Form.State(name: "a") == Form.State(name: "a"))
    #expect(String(customDumping: Form.State(name: "a")).contains("_name: \"a\""))
    var state = Form.State(name: "abc")
    state.$name.wrappedValue = "x"
    #expect(state.name == "x")
  }
}
