import ComposableArchitecture
import ReplicatedArchitecture

/// A feature that is generic, and marked in part.
@Reducer
struct Search<ID: Hashable & Sendable & Replicated> {
  @ObservableState @Replicated
  struct State: Equatable {
    var found: [ID] = []
    @Replicated(omit) var cache: [String: [ID]] = [:]
    var text = ""
  }

  enum Action: BindableAction {
    case binding(BindingAction<State>)
    case found([ID])
  }

  init() {}

  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    if case .found(let ids) = action { state.found = ids }
    return .none
  }
}
