import ComposableArchitecture
import ReplicatedFoundation

/// The sheet in which a meeting is edited.
@Reducer
public struct MeetingForm: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    public var focus: Field? = .title
    public var meeting: Meeting

    public init(focus: Field? = .title, meeting: Meeting) {
      self.focus = focus
      self.meeting = meeting
    }

    @Replicated
    public enum Field: Hashable, Sendable {
      case title
      case topic(Topic.ID)
      case member(Member.ID)
    }
  }

  @Replicated
  public enum Action: BindableAction, Sendable {
    case addMemberButtonTapped
    case addTopicButtonTapped
    case binding(BindingAction<State>)
    case deleteMembers([Member.ID])
    case deleteTopics([Topic.ID])
    case topicMinutesChanged(Topic.ID, Int)
  }

  @Dependency(\.uuid) var uuid

  public init() {}

  public var body: some ReducerOf<Self> {
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

      case .deleteMembers(let ids):
        state.meeting.members.removeAll { ids.contains($0.id) }
        state.focus = state.meeting.members.last.map { .member($0.id) } ?? .title
        return .none

      case .deleteTopics(let ids):
        state.meeting.agenda.removeAll { ids.contains($0.id) }
        state.focus = state.meeting.agenda.last.map { .topic($0.id) } ?? .title
        return .none

      case let .topicMinutesChanged(id, minutes):
        state.meeting.agenda[id: id]?.minutes = max(1, minutes)
        return .none
      }
    }
  }
}
