internal import ComposableCore
package import Features

/// The way to revert an action of the favourite numbers.
package nonisolated enum FavouritesStep: UndoStep {
  /// Counts in the opposite direction, whatever the state is.
  case counted(isUp: Bool)
  /// Restores whether a number is a favourite.
  case liked(number: Int, was: Bool)

  package static let screen = TerminalModel.Screen.favourites

  package static func reverting(
    _ action: FavouriteNumbers.Action, in state: FavouriteNumbers.State
  ) -> (what: String, step: FavouritesStep)? {
    switch action {
    case .view(.incrementButtonTapped): ("went up", .counted(isUp: true))
    case .view(.decrementButtonTapped): ("went down", .counted(isUp: false))
    case .view(.favouriteButtonTapped): liked(state.count, was: state.isFavourite)
    case .destination(.presented(.favourites(.deleteButtonTapped(let number)))):
      liked(number, was: state.favourites[id: number] != nil)
    default: nil
    }
  }

  private static func liked(_ number: Int, was: Bool) -> (String, FavouritesStep) {
    (was ? "\(number) is no favourite" : "\(number) is a favourite", .liked(number: number, was: was))
  }

  package func outcome(in state: FavouriteNumbers.State) -> UndoOutcome<FavouriteNumbers.Action> {
    switch self {
    case .counted(let isUp): return .send(.view(isUp ? .decrementButtonTapped : .incrementButtonTapped))
    case .liked(let number, let was):
      guard (state.favourites[id: number] != nil) != was else { return .nothing("that has happened already") }
      guard state.count == number else { return .nothing("go to \(number) to change that") }
      return .send(.view(.favouriteButtonTapped))
    }
  }
}
