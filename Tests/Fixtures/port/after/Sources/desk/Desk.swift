import ComposableArchitecture
import ReplicatedArchitecture
import Shelter

@main
struct Desk {
  static func main() {
    let store = Store(initialState: Bell.State()) { Bell() }
    store.send(.rung)
    print(store.count)
  }
}

@Reducer
struct Bell {
  @ObservableState @Replicated
  struct State: Equatable { var count = 0 }
  @Replicated
  enum Action { case rung }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}
