import ComposableTesting
import Testing

/// A form in the style before 1.7, with a view state.
private struct Login: Reducer {
  struct State: Equatable {
    @BindingState var email = ""
    @BindingState var password = ""
    var isFormValid = false
    var isRequestInFlight = false
  }

  @CasePathable
  enum Action: Equatable {
    case view(View)

    enum View: BindableAction, Equatable {
      case binding(BindingAction<State>)
      case loginButtonTapped
    }
  }

  var body: some ReducerOf<Self> {
    BindingReducer(action: \.view)
    Reduce { state, action in
      switch action {
      case .view(.binding):
        state.isFormValid = !state.email.isEmpty && !state.password.isEmpty
        return .none
      case .view(.loginButtonTapped):
        state.isRequestInFlight = true
        return .none
      }
    }
  }
}

private struct LoginViewState: Equatable {
  @BindingViewState var email: String
  @BindingViewState var password: String
  var isFormDisabled: Bool
  var isLoginButtonDisabled: Bool

  init(_ store: BindingViewStore<Login.State>) {
    self._email = store.$email
    self._password = store.$password
    self.isFormDisabled = store.isRequestInFlight
    self.isLoginButtonDisabled = !store.isFormValid || store.isRequestInFlight
  }
}

/// A feature with bindable actions, and a view state that takes the state by its projection.
private struct Settings: Reducer {
  struct Address: Equatable, Sendable {
    var street = ""
  }

  struct State: Equatable {
    @BindingState var address = Address()
    var saves = 0
  }

  enum Action: BindableAction {
    case binding(BindingAction<State>)
  }

  struct ViewState: Equatable {
    @BindingViewState var address: Address
    var title: String

    init(@BindingViewStore state: Settings.State) {
      _address = $state.$address
      title = "\(state.saves) saves"
    }
  }

  var body: some ReducerOf<Self> {
    BindingReducer()
  }
}

@MainActor
@Suite struct BindingsTests {
  @Test func aViewsStateIsTestedThroughItsActions() async {
    let store = TestStore(initialState: Login.State()) { Login() }
    #expect(LoginViewState(store.bindings(action: \.view)).isLoginButtonDisabled)

    await store.send(.view(.set(\.$email, "blob@example.org"))) {
      $0.email = "blob@example.org"
    }
    #expect(LoginViewState(store.bindings(action: \.view)).isLoginButtonDisabled)
    #expect(LoginViewState(store.bindings(action: \.view)).email == "blob@example.org")

    await store.send(.view(.set(\.$password, "whats-the-point?"))) {
      $0.password = "whats-the-point?"
      $0.isFormValid = true
    }
    #expect(!LoginViewState(store.bindings(action: \.view)).isLoginButtonDisabled)

    await store.send(.view(.loginButtonTapped)) {
      $0.isRequestInFlight = true
    }
    #expect(LoginViewState(store.bindings(action: \.view)).isFormDisabled)
    #expect(LoginViewState(store.bindings(action: /Login.Action.view)).isLoginButtonDisabled)
  }

  @Test func bindingsShowWhatTheTestHasStated() async {
    let store = TestStore(initialState: Settings.State()) { Settings() }
    let before = store.bindings
    await store.send(.set(\.$address, Settings.Address(street: "Main"))) {
      $0.address.street = "Main"
    }
    #expect(before.address.street == "")
    #expect(store.bindings.address.street == "Main")
    #expect(Settings.ViewState($state: store.bindings).title == "0 saves")
    #expect(Settings.ViewState($state: store.bindings).address.street == "Main")
  }

  @Test func settingABindingIsNoBusinessOfTheStore() async {
    let store = TestStore(initialState: Settings.State()) { Settings() }
    let bindings = store.bindings
    let (view, untouched) = (Settings.ViewState($state: bindings), Settings.ViewState($state: store.bindings))
    #expect(view == untouched)
    view.$address.street.wrappedValue = "Side"
    #expect(view.address.street == "Side" && bindings.address.street == "Side")
    #expect(view != untouched)
    #expect(store.state.address.street == "")
    #expect(String(customDumping: view).contains("Settings.Address(street: \"Side\")"))
  }
}
