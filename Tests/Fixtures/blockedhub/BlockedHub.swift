import Glibc
import ReplicatedArchitecture
import StoreHub

/// A hub with an action that never returns, for the watchdog's test in `scripts/system-test`.
@main
struct BlockedHub: HubService {
  let initialState = Blockable.State()
  var body: some ReducerOf<Blockable> { Blockable() }
}

@Reducer
struct Blockable: Sendable {
  @ObservableState @Replicated
  struct State: Equatable, Sendable {
    var count = 0
  }

  @Replicated
  enum Action: Sendable {
    case counted
    case blocked
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .counted: state.count += 1
      case .blocked: while true { sleep(1) }
      }
      return .none
    }
  }
}
