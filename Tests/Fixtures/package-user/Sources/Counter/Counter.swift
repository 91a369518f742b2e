public import ReplicatedArchitecture

@Reducer
public struct Counter {
  @ObservableState @Replicated
  public struct State: Equatable {
    public var count = 0
    public var labels: IdentifiedArrayOf<Label> = []
    @Presents public var alert: AlertState<Never>?
    @Shared(.inMemory("draft")) @Replicated(omit) var draft = ""
    public init() {}
  }

  @Replicated
  public struct Label: Equatable, Identifiable, Sendable {
    public var id: Int
    public var text: String
  }

  @CasePathable @Replicated
  public enum Action {
    case incrementButtonTapped
    case alert(PresentationAction<Never>)
  }

  @Dependency(\.continuousClock) var clock

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .incrementButtonTapped:
        state.count += 1
        state.labels.append(Label(id: state.count, text: "\(state.count)"))
        return .none
      case .alert: return .none
      }
    }
    .ifLet(\.$alert, action: \.alert)
  }
}
