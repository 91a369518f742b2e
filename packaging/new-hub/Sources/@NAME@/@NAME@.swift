import ReplicatedArchitecture

@Reducer
public struct @NAME@: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    public var count = 0

    public init() {}
  }

  @Replicated
  public enum Action: Sendable {
    case incrementButtonTapped
  }

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .incrementButtonTapped:
        state.count += 1
        return .none
      }
    }
  }
}
