import ComposableArchitecture
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct BindingTests {
  @Reducer struct Form {
    struct Address: Equatable, Sendable {
      var street = ""
      var number = 0
    }

    @ObservableState struct State: Equatable {
      var name = ""
      var age = 0
      var address = Address()
      var nickname: String?
      var log: [String] = []
    }

    enum Action: BindableAction, Equatable, Sendable {
      case binding(BindingAction<State>)
      case ageChanged(Int)
      case reset
    }

    var body: some ReducerOf<Self> {
      BindingReducer()
      Reduce { state, action in
        switch action {
        case .binding(\.name):
          state.log.append("name \(state.name)")
        case .binding(\.address):
          state.log.append("address \(state.address.street)")
        case .binding(\.address.number):
          state.log.append("number \(state.address.number)")
        case .binding(let change):
          state.log.append("other \(change.keyPath == \State.nickname)")
        case .ageChanged(let age):
          state.age = age
        case .reset:
          return .send(.set(\.name, ""))
        }
        return .none
      }
    }
  }

  @Test func aBindingActionSetsItsFieldFirst() {
    let store = Store(initialState: Form.State()) { Form() }
    store.send(.binding(.set(\.name, "Blob")))
    store.send(.set(\.nickname, "B"))
    store.send(.binding(.set(\.address, Form.Address(street: "Main", number: 1))))
    store.send(.binding(.set(\.address.number, 2)))
    #expect(store.name == "Blob")
    #expect(store.nickname == "B")
    #expect(store.address == Form.Address(street: "Main", number: 2))
    #expect(store.log == ["name Blob", "other true", "address Main", "number 2"])
    store.send(.reset)
    #expect(store.name == "")
  }

  @Test func bindingsAreViewsOfTheStore() {
    let store = Store(initialState: Form.State()) { Form() }
    let name = store.binding(\.name)
    name.wrappedValue = "Blob"
    #expect(store.name == "Blob")
    #expect(name.wrappedValue == "Blob")

    let street = store.binding(\.address).street
    street.wrappedValue = "Main"
    #expect(store.address.street == "Main")
    #expect(store.log == ["name Blob", "address Main"])

    let age = store.binding(\.age, sending: \.ageChanged)
    age.wrappedValue += 3
    #expect(store.age == 3)
  }

  @Test func settingAFieldOfAStoreSendsABindingAction() {
    let store = Store(initialState: Form.State()) { Form() }
    store.name = "Blob"
    store.address.number += 2
    #expect(store.address == Form.Address(number: 2))
    #expect(store.log == ["name Blob", "address "])
    let screen = Store(initialState: Screen.State()) { Screen() }
    screen.text = "a"
    #expect(screen.text == "a!")
  }

  @Reducer struct Volume {
    @ObservableState struct State: Equatable, Sendable { var level = 0 }
    enum Action: BindableAction { case binding(BindingAction<State>), reset }
    var body: some ReducerOf<Self> { BindingReducer() }
  }

  @Reducer struct Deaf {
    typealias State = Volume.State
    typealias Action = Volume.Action
    var body: some ReducerOf<Self> { EmptyReducer() }
  }

  @Test func settingTheStateOfAStoreSendsABindingAction() {
    let store = Store(initialState: Volume.State()) { Volume() }
    store.state = Volume.State(level: 3)
    #expect(store.level == 3)
  }

  @Test func aBindingThatNoReducerHandlesIsReported() {
    let store = Store(initialState: Volume.State()) { Deaf() }
    let report = """
      A binding action sent from a store was not handled. …

        Action:
          BindingTests.Volume.Action.binding(.set(_, 7))

      To fix this, invoke "BindingReducer()" from your feature reducer's "body".
      """
    #expect(withExpectedIssue { store.level = 7 } == [report])
    #expect(withExpectedIssue { store.binding(\.level).wrappedValue = 7 } == [report])
    #expect(store.level == 0)
    // An action that somebody sends is their own.
    store.send(.set(\.level, 7))
  }

  @Test func bindingActionsAreEqualByFieldAndValue() {
    let set = BindingAction<Form.State>.set(\.name, "a")
    #expect(set == .set(\.name, "a"))
    #expect(set != .set(\.name, "b"))
    #expect(set != .set(\.age, 1))
    #expect(set != .set(\.address.street, "a"))
    #expect(Form.Action.set(\.age, 1) == .binding(.set(\.age, 1)))
  }

  @Test func bindingActionsAreNamedByTheirField() {
    let action = Form.Action.binding(.set(\.name, "a"))
    #expect(action.is(\.binding))
    #expect(action[case: \.binding.name] == "a")
    #expect(action[case: \.binding.age] == nil)
  }

  @Reducer struct Screen {
    @ObservableState struct State: Equatable { var text = "" }

    enum Action: ViewAction, Sendable {
      case view(View)
      case other

      @CasePathable enum View: BindableAction, Sendable {
        case binding(BindingAction<State>)
        case tapped
      }
    }

    var body: some ReducerOf<Self> {
      BindingReducer(action: \.view)
      Reduce { state, action in
        switch action {
        case .view(.binding(\.text)): state.text += "!"
        case .view(.tapped): state.text = "tapped"
        default: break
        }
        return .none
      }
    }
  }

  @ViewAction(for: Screen.self)
  @MainActor struct Terminal {
    let store: StoreOf<Screen>

    func press() { send(.tapped) }
    func type(_ text: String) { send(.set(\.text, text)) }
  }

  @Test func bindingsOfAViewsActions() {
    let store = Store(initialState: Screen.State()) { Screen() }
    store.binding(\.text).wrappedValue = "a"
    #expect(store.text == "a!")
    let terminal = Terminal(store: store)
    terminal.press()
    #expect(store.text == "tapped")
    terminal.type("b")
    #expect(store.text == "b!")
  }
}
