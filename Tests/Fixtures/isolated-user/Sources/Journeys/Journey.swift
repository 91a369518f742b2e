import ComposableArchitecture

/// A parent: a list of children, a shared value, and a sheet or an alert.
@Reducer
public struct Journey {
  @Reducer(state: .equatable)
  public enum Destination {
    case edit(Stop)
    case alert(AlertState<Alert>)

    @CasePathable
    public enum Alert: Equatable {
      case confirmRemoval(Int)
    }
  }

  @ObservableState
  public struct State: Equatable {
    public var stops: IdentifiedArrayOf<Stop.State> = []
    @Presents public var destination: Destination.State?
    @Shared(.inMemory("visits")) public var visits = 0
    public var path = StackState<Step.State>()

    public init() {}
  }

  public enum Action: ViewAction {
    case view(View)
    case stops(IdentifiedActionOf<Stop>)
    case destination(PresentationAction<Destination.Action>)
    case path(StackActionOf<Step>)

    @CasePathable
    public enum View {
      case addButtonTapped
      case editButtonTapped(Int)
      case removeButtonTapped(Int)
    }
  }

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .view(.addButtonTapped):
        state.stops.append(Stop.State(id: state.stops.count))
        state.$visits.withLock { $0 += 1 }
        return .none
      case .view(.editButtonTapped(let id)):
        guard let stop = state.stops[id: id] else { return .none }
        state.destination = .edit(stop)
        return .none
      case .view(.removeButtonTapped(let id)):
        state.destination = .alert(.remove(id))
        return .none
      case .destination(.presented(.alert(.confirmRemoval(let id)))):
        state.stops.remove(id: id)
        return .none
      case .destination(.presented(.edit(.delegate(.renamed(let city))))):
        state.path.append(.stop(Stop.State(id: 0, city: city)))
        return .none
      case .stops, .destination, .path:
        return .none
      }
    }
    .forEach(\.stops, action: \.stops) { Stop() }
    .forEach(\.path, action: \.path)
    .ifLet(\.$destination, action: \.destination)
  }
}

/// The screens of the navigation stack.
@Reducer(state: .equatable)
public enum Step {
  case stop(Stop)
}

extension AlertState where Action == Journey.Destination.Alert {
  static func remove(_ id: Int) -> Self {
    AlertState {
      TextState("Remove it?")
    } actions: {
      ButtonState(role: .destructive, action: .confirmRemoval(id)) { TextState("Remove") }
    }
  }
}

/// A state and an action that no other macro marks.
@Reducer
public struct Plain {
  public struct State: Equatable {
    public var total = Total()
    public init() {}
  }

  public enum Action { case tapped }

  public struct Total: Equatable {
    public private(set) var value = 0
    mutating func add(_ number: Int) { value += number }
  }

  public init() {}

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    state.total.add(1)
    return .none
  }
}
