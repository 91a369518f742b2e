public import ReplicatedArchitecture

/// The root of what a hub shares: a counter, things to do, and favourite numbers.
@Reducer
public struct AppFeature: Sendable {
  /// Everything that clients see.
  ///
  /// Not an `@ObservableState`: nobody observes the root but through its children, and a child behind an observed property
  /// is copied for each of its actions.
  @Replicated
  public struct State: Equatable, Sendable {
    /// The shared counter.
    public var counter = Counter.State()
    /// The shared list of things to do.
    public var todos = Todos.State()
    /// The favourite numbers.
    public var favourites = FavouriteNumbers.State()

    /// Creates the state that a new hub begins with.
    public init() {}
  }

  /// Everything that can happen.
  @Replicated
  public enum Action: Equatable, Sendable {
    /// Something happened to the counter.
    case counter(Counter.Action)
    /// Something happened to the things to do.
    case todos(Todos.Action)
    /// Something happened to the favourite numbers.
    case favourites(FavouriteNumbers.Action)
  }

  /// Creates the reducer.
  public init() {}

  /// What the features do when something happens to their hub: at its start they go on with what a restart has ended.
  public static func actions(for event: HubEvent, in state: State) -> [Action] {
    guard event == .started else { return [] }
    var actions: [Action] = []
    if state.counter.isTimerOn || state.counter.isLoadingFact { actions.append(.counter(.hubStarted)) }
    if !state.todos.isSorted { actions.append(.todos(.sortCompletedTodos)) }
    if state.favourites.isLoadingFact { actions.append(.favourites(.hubStarted)) }
    return actions
  }

  /// Three scopes; an action goes to the one for its case.
  public var body: some ReducerOf<Self> {
    Scope(state: \.counter, action: \.counter) { Counter() }
    Scope(state: \.todos, action: \.todos) { Todos() }
    Scope(state: \.favourites, action: \.favourites) { FavouriteNumbers() }
  }
}
