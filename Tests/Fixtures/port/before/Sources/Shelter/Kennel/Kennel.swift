import Animals
import ComposableArchitecture

/// One kennel.
@Reducer
struct Kennel {
  @ObservableState
  struct State: Equatable, Identifiable {
    let id: Int
    var animal: Animal?
    @ObservationStateIgnored @Clamped var hunger = 3
    var feeding: Feeding { hunger > 5 ? .now : .later }
  }

  enum Action {
    case fed(Feeding)
  }

  var body: some ReducerOf<Self> { EmptyReducer() }
}

@propertyWrapper
struct Clamped: Equatable {
  var wrappedValue: Int { didSet { wrappedValue = min(wrappedValue, 9) } }
}
