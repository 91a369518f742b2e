// Presentation inside a stack inside presentation: a generic form, a timer, prompts, and values that are never
// presented.
import ComposableArchitecture
import Foundation

@Reducer
struct Form<Value: Equatable & Sendable> {
  @ObservableState
  struct State: Equatable {
    @Presents var alert: AlertState<Action.Alert>?
    var error: String?
    var value: Value
  }

  enum Action: BindableAction, ViewAction {
    case alert(PresentationAction<Alert>)
    case binding(BindingAction<State>)
    case delegate(Delegate)
    case view(View)

    @CasePathable
    enum Alert: Equatable { case discard }
    @CasePathable
    enum Delegate { case discarded, saved(Value) }
    @CasePathable
    enum View { case cancelTapped, saveTapped }
  }

  var validate: @Sendable (Value) -> String? = { _ in nil }

  @Dependency(\.dismiss) var dismiss

  var body: some Reducer<State, Action> {
    BindingReducer()
      .onChange(of: \.value) { _, value in
        Reduce { state, _ in
          state.error = validate(value)
          return .none
        }
      }
    Reduce { state, action in
      switch action {
      case .alert(.presented(.discard)):
        return .concatenate(.send(.delegate(.discarded)), .run { _ in await dismiss() })
      case .alert, .binding, .delegate:
        return .none
      case .view(.cancelTapped):
        state.alert = AlertState {
          TextState("Discard?")
        } actions: {
          ButtonState(role: .destructive, action: .discard) { TextState("Yes") }
        }
        return .none
      case .view(.saveTapped):
        guard state.error == nil else { return .none }
        return .run { [value = state.value] send in
          await send(.delegate(.saved(value)))
          await dismiss()
        }
      }
    }
    .ifLet(\.$alert, action: \.alert)
  }
}

@Reducer
struct Stopwatch {
  @ObservableState
  struct State: Equatable { var seconds = 0 }
  enum Action { case start, stop, tick }
  enum CancelID { case timer }

  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .start:
        return .run { send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.tick) }
        }
        .cancellable(id: CancelID.timer, cancelInFlight: true)
      case .stop:
        return .cancel(id: CancelID.timer)
      case .tick:
        state.seconds += 1
        return .none
      }
    }
  }
}

@Reducer
struct Guest {
  @Reducer(state: .equatable)
  enum Destination {
    case form(Form<String>)
    case stopwatch(Stopwatch)
    @ReducerCaseEphemeral
    case dialog(ConfirmationDialogState<Dialog>)
    @ReducerCaseIgnored
    case seat(Int)

    @CasePathable
    enum Dialog: Equatable { case leave, stay }
  }

  @ObservableState
  struct State: Equatable {
    @Presents var destination: Destination.State?
    var log: [String] = []
    var name = ""
  }

  enum Action {
    case destination(PresentationAction<Destination.Action>)
    case leaveButtonTapped
    case show(Destination.State?)
  }

  @Dependency(\.dismiss) var dismiss
  @Dependency(\.isPresented) var isPresented

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .destination(.dismiss):
        state.log.append("dismissed")
        return .none
      case .destination(.presented(.dialog(.leave))):
        state.log.append("left")
        return .none
      case .destination(.presented(.form(.delegate(.saved(let name))))):
        state.name = name
        return .none
      case .destination:
        return .none
      case .leaveButtonTapped:
        return isPresented ? .run { _ in await dismiss() } : .none
      case .show(let destination):
        state.destination = destination
        return .none
      }
    }
    .ifLet(\.$destination, action: \.destination) { Destination.body }
  }
}

@Reducer
struct Parlour {
  @Reducer
  enum Path {
    case guest(Guest)
    case stopwatch(Stopwatch)
  }

  @ObservableState
  struct State: Equatable {
    var path = StackState<Path.State>()
    var steps: [Int] = []
    var ticks = 0
  }

  enum Action {
    case path(StackActionOf<Path>)
    case struck
    case welcome(Path.State)
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .path(.element(id: _, action: .guest(.destination(.presented(.stopwatch(.tick)))))):
        state.ticks += 1
        return .none
      case .path, .struck:
        return .none
      case .welcome(let element):
        state.path.append(element)
        return .none
      }
    }
    .forEach(\.path, action: \.path)
    .onChange(of: \.ticks) { old, new in
      Reduce { state, _ in
        state.steps.append(new - old)
        return old == 0 ? .send(.struck) : .none
      }
    }
  }
}

extension Parlour.Path.State: Equatable {}
