public import ReplicatedArchitecture

/// The list of favourite numbers: one is chosen to go there, or deleted.
@Reducer
public struct FavouriteList: Sendable {
  /// The favourites.
  @ObservableState
  @Replicated
  public struct State: Equatable, Sendable {
    /// The favourites, in the order in which they were chosen.
    public var favourites: IdentifiedArrayOf<Favourite>

    /// Creates the list.
    public init(favourites: IdentifiedArrayOf<Favourite>) {
      self.favourites = favourites
    }
  }

  /// What can happen.
  @Replicated
  public enum Action: Equatable, Sendable {
    /// What the parent is told.
    case delegate(Delegate)
    /// Someone deletes a number.
    case deleteButtonTapped(Int)
    /// Someone leaves the list.
    case doneButtonTapped
    /// Someone chooses a number.
    case numberTapped(Int)

    /// What the parent is told.
    @CasePathable
    @Replicated
    public enum Delegate: Equatable, Sendable {
      case numberChosen(Int)
    }
  }

  @Dependency(\.dismiss) private var dismiss

  /// Creates the reducer.
  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .delegate: return .none
      case .deleteButtonTapped(let number):
        state.favourites.remove(id: number)
        return .none
      case .doneButtonTapped: return .run { _ in await dismiss() }
      case .numberTapped(let number): return .send(.delegate(.numberChosen(number)))
      }
    }
  }
}
