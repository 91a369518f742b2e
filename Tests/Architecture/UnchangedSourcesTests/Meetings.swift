// A second feature in the style of TCA 1.7: a stack of screens, a destination enum, a timer on a clock.
import ComposableArchitecture
import Foundation

struct Meeting: Equatable, Identifiable, Codable {
  let id: UUID
  var title = ""
  var minutes = 5
  var notes: [String] = []
}

@Reducer
struct MeetingForm {
  @ObservableState
  struct State: Equatable {
    var focus: Field? = .title
    var meeting: Meeting

    enum Field: Hashable { case title, minutes }
  }

  enum Action: BindableAction, Equatable {
    case binding(BindingAction<State>)
    case stepperTapped(by: Int)
  }

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .binding(\.meeting.title):
        if state.meeting.title.isEmpty { state.focus = .title }
        return .none
      case .binding:
        return .none
      case let .stepperTapped(by: step):
        state.meeting.minutes = max(1, state.meeting.minutes + step)
        return .none
      }
    }
  }
}

@Reducer
struct MeetingDetail {
  @Reducer(state: .equatable)
  enum Destination {
    case alert(AlertState<Alert>)
    case edit(MeetingForm)

    @CasePathable
    enum Alert { case confirmDeletion }
  }

  @ObservableState
  struct State: Equatable {
    @Presents var destination: Destination.State?
    var meeting: Meeting
  }

  enum Action {
    case cancelEditTapped
    case delegate(Delegate)
    case deleteTapped
    case destination(PresentationAction<Destination.Action>)
    case doneEditingTapped
    case editTapped

    @CasePathable
    enum Delegate: Equatable {
      case deleted(id: Meeting.ID)
      case updated(Meeting)
    }
  }

  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .cancelEditTapped:
        state.destination = nil
        return .none
      case .delegate:
        return .none
      case .deleteTapped:
        state.destination = .alert(
          AlertState {
            TextState("Delete the meeting?")
          } actions: {
            ButtonState(role: .destructive, action: .confirmDeletion) { TextState("Delete") }
          })
        return .none
      case .destination(.presented(.alert(.confirmDeletion))):
        return .run { [id = state.meeting.id] send in
          await send(.delegate(.deleted(id: id)), animation: .default)
          await dismiss()
        }
      case .destination:
        return .none
      case .doneEditingTapped:
        guard let form = state.destination?.edit else { return .none }
        state.meeting = form.meeting
        state.destination = nil
        return .send(.delegate(.updated(state.meeting)))
      case .editTapped:
        state.destination = .edit(MeetingForm.State(meeting: state.meeting))
        return .none
      }
    }
    .ifLet(\.$destination, action: \.destination)
  }
}

@Reducer
struct RecordMeeting {
  @ObservableState
  struct State: Equatable {
    var meeting: Meeting
    var secondsElapsed = 0
  }

  enum Action {
    case delegate(Delegate)
    case noted(String)
    case task
    case timerTicked

    @CasePathable
    enum Delegate: Equatable { case finished(Meeting) }
  }

  @Dependency(\.continuousClock) var clock
  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .delegate:
        return .none
      case let .noted(note):
        state.meeting.notes.append(note)
        return .none
      case .task:
        return .run { send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.timerTicked) }
        }
      case .timerTicked:
        state.secondsElapsed += 1
        guard state.secondsElapsed >= state.meeting.minutes * 60 else { return .none }
        return .run { [meeting = state.meeting] send in
          await send(.delegate(.finished(meeting)))
          await dismiss()
        }
      }
    }
  }
}

@Reducer
struct MeetingsApp {
  @Reducer(state: .equatable)
  enum Path {
    case detail(MeetingDetail)
    case record(RecordMeeting)
  }

  @ObservableState
  struct State: Equatable {
    var meetings: IdentifiedArrayOf<Meeting> = []
    var path = StackState<Path.State>()
    @Shared(.inMemory("meetingCount")) var count = 0
  }

  enum Action {
    case addTapped
    case path(StackActionOf<Path>)
    case recordTapped(id: Meeting.ID)
    case rowTapped(id: Meeting.ID)
  }

  @Dependency(\.uuid) var uuid

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .addTapped:
        state.meetings.append(Meeting(id: uuid()))
        state.$count.withLock { $0 += 1 }
        return .none
      case let .path(.element(id: _, action: .detail(.delegate(.deleted(id: id))))):
        state.meetings.remove(id: id)
        return .none
      case let .path(.element(id: _, action: .detail(.delegate(.updated(meeting))))),
        let .path(.element(id: _, action: .record(.delegate(.finished(meeting))))):
        state.meetings[id: meeting.id] = meeting
        return .none
      case .path:
        return .none
      case let .recordTapped(id: id):
        guard let meeting = state.meetings[id: id] else { return .none }
        state.path.append(.record(RecordMeeting.State(meeting: meeting)))
        return .none
      case let .rowTapped(id: id):
        guard let meeting = state.meetings[id: id] else { return .none }
        state.path.append(.detail(MeetingDetail.State(meeting: meeting)))
        return .none
      }
    }
    .forEach(\.path, action: \.path)
  }
}
