public import ReplicatedArchitecture

/// The answers to an alert about a fact that could not be fetched.
@CasePathable
@Replicated
public enum FactQuestion: Equatable, Sendable {
  case tryAgainButtonTapped
}

/// A number to browse, the favourites among the numbers, and a list for jumping to a favourite.
///
/// The presented destination is also state: all users of a shared state see the same one, and opening the list opens it
/// for everyone.
@Reducer
public struct FavouriteNumbers: Sendable {
  /// The number and the presented destination.
  @ObservableState
  @Replicated
  public struct State: Equatable, Sendable {
    /// The number.
    public var count = 0
    /// The favourites, in the order in which they were added.
    public var favourites: IdentifiedArrayOf<Favourite> = []
    /// True while a fact is being fetched.
    public var isLoadingFact = false
    /// The presented destination.
    @Presents public var destination: Destination.State?

    /// True if the number is a favourite.
    public var isFavourite: Bool { favourites[id: count] != nil }

    /// Creates the state with a number and favourites.
    public init(count: Int = 0, favourites: IdentifiedArrayOf<Favourite> = []) {
      self.count = count
      self.favourites = favourites
    }
  }

  /// The actions of the feature.
  @Replicated
  public enum Action: Equatable, Sendable, ViewAction {
    /// An action of the presented destination.
    case destination(PresentationAction<Destination.Action>)
    /// The fact, or the reason why there is none.
    case factResponse(Result<String, NumberFactError>)
    /// A user's action.
    case view(View)
    /// The hub has restarted. The pending fetch, which ended with the old hub, starts again.
    case hubStarted

    /// The actions of a user.
    @CasePathable
    @Replicated
    public enum View: Equatable, Sendable {
      case decrementButtonTapped
      case factButtonTapped
      case favouriteButtonTapped
      case favouritesButtonTapped
      case incrementButtonTapped
    }
  }

  /// The destinations: an alert with a fact or the reason for its absence, or the list of favourites.
  @Reducer(state: .equatable, .sendable, action: .equatable, .sendable)
  @Replicated
  public enum Destination {
    case alert(AlertState<FactQuestion>)
    case favourites(FavouriteList)
  }

  private enum CancelID { case fact }

  @Dependency(\.numberFact) private var numberFact

  /// Creates the reducer.
  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .view(.decrementButtonTapped):
        return change(&state, by: -1)

      case .view(.incrementButtonTapped):
        return change(&state, by: 1)

      case .view(.favouriteButtonTapped):
        if state.favourites.remove(id: state.count) == nil { state.favourites.append(Favourite(number: state.count)) }
        // Another user may have the list open.
        if case .favourites(var list) = state.destination {
          list.favourites = state.favourites
          state.destination = .favourites(list)
        }
        return .none

      case .view(.favouritesButtonTapped):
        state.destination = .favourites(FavouriteList.State(favourites: state.favourites))
        return .none

      case .view(.factButtonTapped), .destination(.presented(.alert(.tryAgainButtonTapped))):
        state.isLoadingFact = true
        return fetchFact(about: state.count)

      case .hubStarted:
        return state.isLoadingFact ? fetchFact(about: state.count) : .none

      case .factResponse(.success(let fact)):
        state.isLoadingFact = false
        state.destination = .alert(AlertState { TextState(fact) })
        return .none

      case .factResponse(.failure(let error)):
        state.isLoadingFact = false
        state.destination = .alert(
          AlertState {
            TextState("No fact")
          } actions: {
            ButtonState(action: .tryAgainButtonTapped) { TextState("Try again") }
            ButtonState(role: .cancel) { TextState("Never mind") }
          } message: {
            TextState(error.message)
          })
        return .none

      case .destination(.presented(.favourites(.delegate(.numberChosen(let number))))):
        state.count = number
        state.destination = nil
        return forgetFact(&state)

      case .destination(.presented(.favourites(.deleteButtonTapped(let number)))):
        state.favourites.remove(id: number)
        return .none

      case .destination: return .none
      }
    }
    .ifLet(\.$destination, action: \.destination)
    .passingOver { state, action in
      guard case .destination(let action) = action else { return false }
      return switch (state.destination, action) {
      case (_?, .dismiss), (.alert, .presented(.alert)), (.favourites, .presented(.favourites)): false
      default: true
      }
    }
  }

  private func fetchFact(about count: Int) -> Effect<Action> {
    .run(name: "fact of a favourite") { [numberFact] send in
      do {
        await send(.factResponse(.success(try await numberFact.fetch(count))))
      } catch let error as NumberFactError {
        await send(.factResponse(.failure(error)))
      }
    }
    .cancellable(id: CancelID.fact, cancelInFlight: true)
  }

  /// Changes the number; nobody has requested its fact yet. At the limits of `Int` the number stays.
  private func change(_ state: inout State, by difference: Int) -> Effect<Action> {
    let (count, isOver) = state.count.addingReportingOverflow(difference)
    guard !isOver else { return .none }
    state.count = count
    return forgetFact(&state)
  }

  /// Discards a pending fact about a number that is no longer shown.
  private func forgetFact(_ state: inout State) -> Effect<Action> {
    guard state.isLoadingFact else { return .none }
    state.isLoadingFact = false
    return .cancel(id: CancelID.fact)
  }
}

/// A favourite number.
@Replicated
public struct Favourite: Equatable, Identifiable, Sendable {
  /// The number.
  public let number: Int
  public var id: Int { number }

  /// Creates a favourite.
  public init(number: Int) {
    self.number = number
  }
}
