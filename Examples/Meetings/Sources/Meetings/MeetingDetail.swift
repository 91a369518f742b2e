import ComposableArchitecture
import ReplicatedFoundation

/// The screen of one meeting.
@Reducer
public struct MeetingDetail: Sendable {
  @Reducer(state: .sendable, action: .sendable) @Replicated
  public enum Destination {
    case alert(AlertState<Alert>)
    case edit(MeetingForm)

    @CasePathable @Replicated
    public enum Alert: Sendable {
      case confirmDeletion
    }
  }

  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    @Presents public var destination: Destination.State?
    public var meeting: Meeting

    public init(destination: Destination.State? = nil, meeting: Meeting) {
      self.destination = destination
      self.meeting = meeting
    }
  }

  @Replicated
  public enum Action: Sendable {
    case cancelEditButtonTapped
    case delegate(Delegate)
    case deleteButtonTapped
    case deleteRecords([Record.ID])
    case destination(PresentationAction<Destination.Action>)
    case doneEditingButtonTapped
    case editButtonTapped
    case startButtonTapped

    @CasePathable @Replicated
    public enum Delegate: Sendable {
      case deleteMeeting(Meeting.ID)
      case saveMeeting(Meeting)
      case startMeeting(Meeting)
    }
  }

  @Dependency(\.dismiss) var dismiss

  public init() {}

  public var body: some ReducerOf<Self> {
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

      case .deleteRecords(let ids):
        state.meeting.records.removeAll { ids.contains($0.id) }
        return .send(.delegate(.saveMeeting(state.meeting)))

      case .destination(.presented(.alert(.confirmDeletion))):
        return .run { [id = state.meeting.id] send in
          await send(.delegate(.deleteMeeting(id)))
          await dismiss()
        }

      case .destination:
        return .none

      case .doneEditingButtonTapped:
        guard case .edit(let form)? = state.destination else { return .none }
        state.meeting = form.meeting
        state.destination = nil
        return .send(.delegate(.saveMeeting(form.meeting)))

      case .editButtonTapped:
        state.destination = .edit(MeetingForm.State(meeting: state.meeting))
        return .none

      case .startButtonTapped:
        return .send(.delegate(.startMeeting(state.meeting)))
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
