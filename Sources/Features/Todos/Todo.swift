public import ReplicatedArchitecture

/// One thing to do.
@Reducer
public struct Todo: Sendable {
  /// The text of a todo, and its completion.
  @ObservableState
  @Replicated
  public struct State: Equatable, Identifiable, Sendable {
    /// The todo's number, which is unique in the list and never reused.
    public let id: Int
    /// The text.
    public var text: String
    /// True if it is completed.
    public var isComplete = false

    /// Creates a todo.
    public init(id: Int, text: String, isComplete: Bool = false) {
      (self.id, self.text, self.isComplete) = (id, text, isComplete)
    }
  }

  /// The actions of a todo.
  @Replicated
  public enum Action: Equatable, Sendable {
    /// A user sets the completion. Not a toggle: two users who tick the same todo at once both want it to be completed.
    case completionChanged(Bool)
    /// A user changes the text.
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
