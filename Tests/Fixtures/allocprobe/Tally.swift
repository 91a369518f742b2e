import ComposableCore
import Wire

/// A feature whose reducer allocates nothing.
@Reducer
struct Tally {
  @ObservableState
  @Replicated
  struct State: Equatable, Sendable {
    var count = 0
  }

  @Replicated
  enum Action: Equatable, Sendable {
    case added
    case subtracted
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      state.count += action == .added ? 1 : -1
      return .none
    }
  }
}
