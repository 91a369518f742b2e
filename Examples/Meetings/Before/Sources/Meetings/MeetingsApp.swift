import ComposableArchitecture

/// The root: the list, and the screens above it.
@Reducer
struct MeetingsApp {
  @Reducer
  enum Path {
    case detail(MeetingDetail)
    case held(HeldMeeting)
    case record(RecordReader)
  }

  @ObservableState
  struct State: Equatable {
    var list = MeetingsList.State()
    var path = StackState<Path.State>()
  }

  enum Action {
    case list(MeetingsList.Action)
    case path(StackActionOf<Path>)
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.list, action: \.list) {
      MeetingsList()
    }
    Reduce { state, action in
      switch action {
      case .list:
        return .none

      case let .path(.element(_, .detail(.delegate(delegate)))):
        switch delegate {
        case .deleteMeeting(let id):
          state.list.$meetings.withLock { _ = $0.remove(id: id) }
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
}

extension MeetingsApp.Path.State: Equatable {}
