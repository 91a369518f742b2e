import ComposableArchitecture

/// The screen of one meeting.
@Reducer
struct MeetingDetail {
  @Reducer
  enum Destination {
    case alert(AlertState<Alert>)
    case edit(MeetingForm)

    @CasePathable
    enum Alert {
      case confirmDeletion
    }
  }

  @ObservableState
  struct State: Equatable {
    @Presents var destination: Destination.State?
    @Shared var meeting: Meeting
  }

  enum Action {
    case cancelEditButtonTapped
    case delegate(Delegate)
    case deleteButtonTapped
    case deleteRecords(IndexSet)
    case destination(PresentationAction<Destination.Action>)
    case doneEditingButtonTapped
    case editButtonTapped
    case startButtonTapped

    @CasePathable
    enum Delegate {
      case deleteMeeting(Meeting.ID)
      case startMeeting(Shared<Meeting>)
    }
  }

  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .cancelEditButtonTapped:
        state.destination = nil
        return .none

      case .delegate:
        return .none

      case .deleteButtonTapped:
        state.destination = .alert(.deletion)
        return .none

      case .deleteRecords(let indices):
        state.$meeting.withLock { $0.records.remove(atOffsets: indices) }
        return .none

      case .destination(.presented(.alert(.confirmDeletion))):
        return .run { [id = state.meeting.id] send in
          await send(.delegate(.deleteMeeting(id)))
          await dismiss()
        }

      case .destination:
        return .none

      case .doneEditingButtonTapped:
        guard case .edit(let form)? = state.destination else { return .none }
        state.$meeting.withLock { $0 = form.meeting }
        state.destination = nil
        return .none

      case .editButtonTapped:
        state.destination = .edit(MeetingForm.State(meeting: state.meeting))
        return .none

      case .startButtonTapped:
        return .send(.delegate(.startMeeting(state.$meeting)))
      }
    }
    .ifLet(\.$destination, action: \.destination)
  }
}

extension MeetingDetail.Destination.State: Equatable {}

extension AlertState where Action == MeetingDetail.Destination.Alert {
  static let deletion = Self {
    TextState("Delete this meeting?")
  } actions: {
    ButtonState(role: .destructive, action: .confirmDeletion) { TextState("Delete") }
    ButtonState(role: .cancel) { TextState("Keep it") }
  } message: {
    TextState("Its records are deleted too.")
  }
}
