import ComposableArchitecture
import ReplicatedFoundation

/// The root: the list, and the screens above it.
@Reducer
public struct MeetingsApp: Sendable {
  @Reducer(state: .sendable, action: .sendable) @Replicated
  public enum Path {
    case detail(MeetingDetail)
    case held(HeldMeeting)
    case record(RecordReader)
  }

  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    public var list = MeetingsList.State()
    public var path = StackState<Path.State>()

    public init(
      list: MeetingsList.State = MeetingsList.State(),
      path: StackState<Path.State> = StackState<Path.State>()
    ) {
      self.list = list
      self.path = path
    }
  }

  @Replicated
  public enum Action: Sendable {
    case list(MeetingsList.Action)
    case path(StackActionOf<Path>)
  }

  public init() {}

  public var body: some ReducerOf<Self> {
    Scope(state: \.list, action: \.list) {
      MeetingsList()
    }
    Reduce { state, action in
      switch action {
      case .list:
        return .none

      case let .path(.element(_, .held(.delegate(.saveMeeting(meeting))))):
        save(meeting, in: &state)
        return .none

      case let .path(.element(_, .detail(.delegate(delegate)))):
        switch delegate {
        case .deleteMeeting(let id):
          state.list.meetings.remove(id: id)
          return .none

        case .saveMeeting(let meeting):
          save(meeting, in: &state)
          return .none

        case .startMeeting(let meeting):
          state.path.append(.held(HeldMeeting.State(meeting: meeting)))
          return .none
        }

      case .path:
        return .none
      }
    }
    .forEach(\.path, action: \.path)
  }

  /// Saves a meeting in the list and in the screens that show it.
  private func save(_ meeting: Meeting, in state: inout State) {
    state.list.meetings[id: meeting.id] = meeting
    for id in state.path.ids {
      guard case .detail? = state.path[id: id] else { continue }
      state.path[id: id, case: \.detail]?.save(meeting)
    }
  }
}

extension MeetingDetail.State {
  fileprivate mutating func save(_ saved: Meeting) {
    if meeting.id == saved.id { meeting = saved }
  }
}

extension MeetingsApp.Path.State: Equatable {}
