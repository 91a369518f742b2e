public import ReplicatedArchitecture

/// One thing to do.
@Reducer
public struct Todo: Sendable {
  /// What there is to do, and whether it is done.
  @ObservableState
  @Replicated
  public struct State: Equatable, Identifiable, Sendable {
    /// The todo's number. No other one in the list ever has it.
    public let id: Int
    /// What there is to do.
    public var text: String
    /// Whether it is done.
    public var isComplete = false

    /// Creates a todo.
    public init(id: Int, text: String, isComplete: Bool = false) {
      (self.id, self.text, self.isComplete) = (id, text, isComplete)
    }
  }

  /// What can happen to a todo.
  @Replicated
  public enum Action: Equatable, Sendable {
    /// Someone says whether it is done. Not a toggle: two who tick the same todo at once both mean that it is done.
    case completionChanged(Bool)
    /// Someone has written another text.
    case textChanged(String)
  }

  /// Creates the reducer.
  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .completionChanged(let isComplete):
        state.isComplete = isComplete
        return .none
      case .textChanged(let text):
        state.text = text
        return .none
      }
    }
  }
}
