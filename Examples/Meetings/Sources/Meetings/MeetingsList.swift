import ComposableArchitecture
import ReplicatedFoundation

/// The first screen: all meetings, and a sheet for a new one.
@Reducer
public struct MeetingsList: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    @Presents public var draft: MeetingForm.State?
    public var meetings: IdentifiedArrayOf<Meeting> = []

    public init(draft: MeetingForm.State? = nil) {
      self.draft = draft
    }
  }

  @Replicated
  public enum Action: Sendable {
    case addButtonTapped
    case deleteMeetings([Meeting.ID])
    case discardButtonTapped
    case draft(PresentationAction<MeetingForm.Action>)
    case saveButtonTapped
  }

  @Dependency(\.uuid) var uuid

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .addButtonTapped:
        state.draft = MeetingForm.State(meeting: Meeting(id: uuid()))
        return .none

      case .deleteMeetings(let ids):
        state.meetings.removeAll { ids.contains($0.id) }
        return .none

      case .discardButtonTapped:
        state.draft = nil
        return .none

      case .draft:
        return .none

      case .saveButtonTapped:
        guard var meeting = state.draft?.meeting else { return .none }
        meeting.members.removeAll { $0.name.allSatisfy(\.isWhitespace) }
        state.meetings.append(meeting)
        state.draft = nil
        return .none
      }
    }
    .ifLet(\.$draft, action: \.draft) {
      MeetingForm()
    }
  }
}
