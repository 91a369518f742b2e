public import ReplicatedArchitecture

/// The list of favourite numbers, from which users choose or delete one.
@Reducer
public struct FavouriteList: Sendable {
  /// The favourites.
  @ObservableState
  @Replicated
  public struct State: Equatable, Sendable {
    /// The favourites, in the order in which they were added.
    public var favourites: IdentifiedArrayOf<Favourite>

    /// Creates the list.
    public init(favourites: IdentifiedArrayOf<Favourite>) {
      self.favourites = favourites
    }
  }

  /// The actions of the list.
  @Replicated
  public enum Action: Equatable, Sendable {
    /// Messages to the parent.
    case delegate(Delegate)
    /// A user deletes a number.
    case deleteButtonTapped(Int)
    /// A user closes the list.
    case doneButtonTapped
    /// A user chooses a number.
    case numberTapped(Int)

    /// Messages to the parent.
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
