// A third feature in the style of TCA 1.7: an enum at the root, a generic reducer that several features use, a feature
// that contains itself, and custom reducer operators.
import ComposableArchitecture
import Foundation

/// Loans a thing of any kind, by its id.
@Reducer
struct Loan<ID: Hashable & Sendable> {
  @ObservableState
  struct State: Equatable {
    var alert: AlertState<Action.Alert>?
    let id: ID
    var isOut: Bool
  }

  enum Action {
    case alert(PresentationAction<Alert>)
    case tapped
    case response(Result<Bool, any Error>)
    enum Alert: Equatable {}
  }

  private struct RequestID: Hashable { let id: ID }

  let request: @Sendable (ID, Bool) async throws -> Bool

  var body: some Reducer<State, Action> {
    Reduce { state, action in
      switch action {
      case .alert:
        state.alert = nil
        state.isOut.toggle()
        return .none
      case .tapped:
        state.isOut.toggle()
        return .run { [id = state.id, isOut = state.isOut, request] send in
          await send(.response(Result { try await request(id, isOut) }))
        }
        .cancellable(id: RequestID(id: state.id), cancelInFlight: true)
      case let .response(.success(isOut)):
        state.isOut = isOut
        return .none
      case .response(.failure):
        state.alert = AlertState { TextState("The loan was refused.") }
        return .none
      }
    }
  }
}

/// A folder of books and folders.
@Reducer
struct Folder {
  @ObservableState
  struct State: Equatable, Identifiable {
    let id: UUID
    var title = ""
    var isOut = false
    var alert: AlertState<Loan<UUID>.Action.Alert>?
    var folders: IdentifiedArrayOf<State> = []

    var loan: Loan<UUID>.State {
      get { Loan<UUID>.State(alert: alert, id: id, isOut: isOut) }
      set { (alert, isOut) = (newValue.alert, newValue.isOut) }
    }
  }

  enum Action {
    case addTapped
    case titleChanged(String)
    case loan(Loan<UUID>.Action)
    indirect case folders(IdentifiedActionOf<Folder>)
  }

  @Dependency(\.uuid) var uuid
  var request: @Sendable (UUID, Bool) async throws -> Bool = { _, isOut in isOut }

  var body: some ReducerOf<Self> {
    Scope(state: \.loan, action: \.loan) { Loan(request: request) }
    Reduce { state, action in
      switch action {
      case .addTapped:
        state.folders.append(State(id: uuid()))
        return .none
      case let .titleChanged(title):
        state.title = title
        return .none
      case .loan, .folders:
        return .none
      }
    }
    .forEach(\.folders, action: \.folders) { Folder(request: request) }
  }
}

@Reducer
struct SignIn {
  @ObservableState
  struct State: Equatable {
    var name = ""
    var isValid = false
  }

  enum Action: ViewAction {
    case view(View)
    case signedIn

    @CasePathable
    enum View: BindableAction {
      case binding(BindingAction<State>)
      case signInTapped
    }
  }

  var body: some ReducerOf<Self> {
    BindingReducer(action: \.view)
    Reduce { state, action in
      switch action {
      case .view(.binding):
        state.isValid = state.name.count >= 2
        return .none
      case .view(.signInTapped):
        return state.isValid ? .send(.signedIn) : .none
      case .signedIn:
        return .none
      }
    }
  }
}

/// The app, whose state is an enum.
@Reducer
enum Library {
  case signIn(SignIn)
  case shelf(Folder)

  static var body: some ReducerOf<Self> {
    Reduce { state, action in
      @Dependency(\.uuid) var uuid
      guard case .signIn(.signedIn) = action else { return .none }
      state = .shelf(Folder.State(id: uuid()))
      return .none
    }
    .ifCaseLet(\.signIn, action: \.signIn) { SignIn() }
    .ifCaseLet(\.shelf, action: \.shelf) { Folder() }
  }
}

extension Library.State: Equatable {}

/// A child that counts its actions.
@Reducer
struct Counted<Child: Reducer> where Child.State: Equatable {
  @ObservableState
  struct State: Equatable {
    var child: Child.State
    var count = 0
  }

  enum Action { case child(Child.Action) }

  let child: Child

  init(@ReducerBuilder<Child.State, Child.Action> child: () -> Child) { self.child = child() }

  var body: some Reducer<State, Action> {
    Scope(state: \.child, action: \.child) { child }
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

extension Reducer {
  /// Calls a function when a part of the state has changed.
  func signalling<Value: Equatable>(
    _ value: @escaping (State) -> Value, _ signal: @escaping @Sendable () -> Void
  ) -> some Reducer<State, Action> {
    onChange(of: value) { _, _ in Reduce { _, _ in .run { _ in signal() } } }
  }

  /// Records the actions.
  func recording(_ names: LockIsolated<[String]>) -> Recording<Self> { Recording(base: self, names: names) }
}

struct Recording<Base: Reducer>: Reducer {
  let base: Base
  let names: LockIsolated<[String]>

  func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    let name = "\(action)"
    names.withValue { $0.append(name) }
    return base.reduce(into: &state, action: action)
  }
}
