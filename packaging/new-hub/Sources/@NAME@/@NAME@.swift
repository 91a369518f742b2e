import ReplicatedArchitecture

@Reducer
public struct @NAME@: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    public var count = 0
    /// What was written down, the oldest first.
    public var notes: IdentifiedArrayOf<Note> = []
    var nextNote = 1

    public init() {}
  }

  @Replicated
  public enum Action: Sendable {
    case incrementButtonTapped
    case addButtonTapped(text: String)
    case deleteButtonTapped(Note.ID)
  }

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action throws(Refusal) in
      switch action {
      case .incrementButtonTapped:
        state.count += 1
        return .none

      case .addButtonTapped(let text):
        // Nothing of a refused action takes effect, and its sender gets the reason.
        guard !text.isEmpty else { throw Refusal("a note needs a text") }
        state.notes.append(Note(id: state.nextNote, text: text))
        state.nextNote += 1
        return .none

      case .deleteButtonTapped(let id):
        state.notes.remove(id: id)
        return .none
      }
    }
  }
}

@ObservableState @Replicated
public struct Note: Equatable, Identifiable, Sendable {
  public let id: Int
  public var text: String
}
