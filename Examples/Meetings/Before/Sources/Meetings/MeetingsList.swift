import ComposableArchitecture

/// The first screen: all meetings, and a sheet for a new one.
@Reducer
struct MeetingsList {
  @ObservableState
  struct State: Equatable {
    @Presents var draft: MeetingForm.State?
    @Shared(.meetings) var meetings
  }

  enum Action {
    case addButtonTapped
    case deleteMeetings(IndexSet)
    case discardButtonTapped
    case draft(PresentationAction<MeetingForm.Action>)
    case saveButtonTapped
  }

  @Dependency(\.uuid) var uuid

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .addButtonTapped:
        state.draft = MeetingForm.State(meeting: Meeting(id: uuid()))
        return .none

      case .deleteMeetings(let indices):
        state.$meetings.withLock { $0.remove(atOffsets: indices) }
        return .none

      case .discardButtonTapped:
        state.draft = nil
        return .none

      case .draft:
        return .none

      case .saveButtonTapped:
        guard var meeting = state.draft?.meeting else { return .none }
        meeting.members.removeAll { $0.name.allSatisfy(\.isWhitespace) }
        state.$meetings.withLock { _ = $0.append(meeting) }
        state.draft = nil
        return .none
      }
    }
    .ifLet(\.$draft, action: \.draft) {
      MeetingForm()
    }
  }
}
