import ComposableArchitecture

/// The sheet in which a meeting is edited.
@Reducer
struct MeetingForm {
  @ObservableState
  struct State: Equatable {
    var focus: Field? = .title
    var meeting: Meeting

    enum Field: Hashable {
      case title
      case topic(Topic.ID)
      case member(Member.ID)
    }
  }

  enum Action: BindableAction {
    case addMemberButtonTapped
    case addTopicButtonTapped
    case binding(BindingAction<State>)
    case deleteMembers(IndexSet)
    case deleteTopics(IndexSet)
    case topicMinutesChanged(Topic.ID, Int)
  }

  @Dependency(\.uuid) var uuid

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .addMemberButtonTapped:
        let member = Member(id: uuid())
        state.meeting.members.append(member)
        state.focus = .member(member.id)
        return .none

      case .addTopicButtonTapped:
        let topic = Topic(id: uuid())
        state.meeting.agenda.append(topic)
        state.focus = .topic(topic.id)
        return .none

      case .binding:
        return .none

      case .deleteMembers(let indices):
        state.meeting.members.remove(atOffsets: indices)
        state.focus = state.meeting.members.last.map { .member($0.id) } ?? .title
        return .none

      case .deleteTopics(let indices):
        state.meeting.agenda.remove(atOffsets: indices)
        state.focus = state.meeting.agenda.last.map { .topic($0.id) } ?? .title
        return .none

      case let .topicMinutesChanged(id, minutes):
        state.meeting.agenda[id: id]?.minutes = max(1, minutes)
        return .none
      }
    }
  }
}
