import Animals
import ComposableArchitecture
import ReplicatedArchitecture

/// One kennel.
@Reducer
public struct Kennel: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Identifiable, Sendable {
    public let id: Int
    public var animal: Animal?
    @ObservationStateIgnored @Clamped var hunger = 3

    public init(id: Int, animal: Animal? = nil) {
      self.id = id
      self.animal = animal
    }

    public var feeding: Feeding { hunger > 5 ? .now : .later }
  }

  @Replicated
  public enum Action: Sendable {
    case fed(Feeding)
  }

  public init() {}

  public var body: some ReducerOf<Self> { EmptyReducer() }
}

@propertyWrapper
struct Clamped: Equatable {
  var wrappedValue: Int { didSet { wrappedValue = min(wrappedValue, 9) } }
}
