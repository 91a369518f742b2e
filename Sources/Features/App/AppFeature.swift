public import ReplicatedArchitecture

/// The root of a hub's features: a counter, todos, and favourite numbers.
@Reducer
public struct AppFeature: Sendable {
  /// The state that clients see.
  ///
  /// Not an `@ObservableState`: the root is only observed through its children, and each action would copy a child in
  /// an observed property.
  @Replicated
  public struct State: Equatable, Sendable {
    /// The shared counter.
    public var counter = Counter.State()
    /// The shared todos.
    public var todos = Todos.State()
    /// The favourite numbers.
    public var favourites = FavouriteNumbers.State()

    /// Creates the initial state of a new hub.
    public init() {}
  }

  /// The actions of all features.
  @Replicated
  public enum Action: Equatable, Sendable {
    /// An action of the counter.
    case counter(Counter.Action)
    /// An action of the todos.
    case todos(Todos.Action)
    /// An action of the favourite numbers.
    case favourites(FavouriteNumbers.Action)
  }

  /// Creates the reducer.
  public init() {}

  /// The features' actions in response to events of their hub: at its start, they resume the work that the restart
  /// interrupted.
  public static func actions(for event: HubEvent, in state: State) -> [Action] {
    guard event == .started else { return [] }
    var actions: [Action] = []
    if state.counter.isTimerOn || state.counter.isLoadingFact { actions.append(.counter(.hubStarted)) }
    // A long list is looked at in steps.
    let isLong = state.todos.todos.count > Todos.State.sortedAtOnce
    if isLong || !state.todos.isSorted { actions.append(.todos(.sortCompletedTodos)) }
    if state.favourites.isLoadingFact { actions.append(.favourites(.hubStarted)) }
    return actions
  }

  /// Three scopes; an action is passed to the one for its case.
  public var body: some ReducerOf<Self> {
    Scope(state: \.counter, action: \.counter) { Counter() }
    Scope(state: \.todos, action: \.todos) { Todos() }
    Scope(state: \.favourites, action: \.favourites) { FavouriteNumbers() }
  }
}
