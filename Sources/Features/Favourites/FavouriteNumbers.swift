public import ReplicatedArchitecture

/// What an alert about a fact that did not come asks.
@CasePathable
@Replicated
public enum FactQuestion: Equatable, Sendable {
  case tryAgainButtonTapped
}

/// A number to browse by, the favourites among the numbers, and a list of them from which one goes to a number.
///
/// What lies over the number is state too: where several people share it, they look at the same thing, and who opens the list
/// opens it for all.
@Reducer
public struct FavouriteNumbers: Sendable {
  /// What is on the screen, and over it.
  @ObservableState
  @Replicated
  public struct State: Equatable, Sendable {
    /// The number.
    public var count = 0
    /// The favourites, in the order in which they were chosen.
    public var favourites: IdentifiedArrayOf<Favourite> = []
    /// Whether a fact is on its way.
    public var isLoadingFact = false
    /// What lies over the number.
    @Presents public var destination: Destination.State?

    /// Whether the number is a favourite.
    public var isFavourite: Bool { favourites[id: count] != nil }

    /// Creates the state with a number and favourites.
    public init(count: Int = 0, favourites: IdentifiedArrayOf<Favourite> = []) {
      self.count = count
      self.favourites = favourites
    }
  }

  /// What can happen.
  @Replicated
  public enum Action: Equatable, Sendable, ViewAction {
    /// Something happened over the number.
    case destination(PresentationAction<Destination.Action>)
    /// The fact came, or why it did not.
    case factResponse(Result<String, NumberFactError>)
    /// Someone did something.
    case view(View)
    /// The hub has started again: the fact on its way, which its stop has ended, is fetched again.
    case hubStarted

    /// What a person does.
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

  /// What lies over the number: a fact or the lack of one, or the list of favourites.
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
        // Somebody else may have the list open.
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

  /// Goes to another number, at whose fact nobody looks yet. At the end of `Int` the number stays.
  private func change(_ state: inout State, by difference: Int) -> Effect<Action> {
    let (count, isOver) = state.count.addingReportingOverflow(difference)
    guard !isOver else { return .none }
    state.count = count
    return forgetFact(&state)
  }

  /// A fact about a number that is no longer shown is not wanted.
  private func forgetFact(_ state: inout State) -> Effect<Action> {
    guard state.isLoadingFact else { return .none }
    state.isLoadingFact = false
    return .cancel(id: CancelID.fact)
  }
}

/// A number that somebody likes.
@Replicated
public struct Favourite: Equatable, Identifiable, Sendable {
  /// The number.
  public let number: Int
  public var id: Int { number }

  /// A favourite.
  public init(number: Int) {
    self.number = number
  }
}
