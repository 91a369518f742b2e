import ComposableArchitecture

/// The screen that shows the record of a past meeting, and finds text in it.
@Reducer
struct RecordReader {
  @ObservableState
  struct State: Equatable {
    var isSearching = false
    let record: Record
    var query = ""

    var matches: Int {
      query.isEmpty ? 0 : record.transcript.components(separatedBy: query).count - 1
    }
  }

  enum Action: BindableAction {
    case binding(BindingAction<State>)
    case cancelSearchButtonTapped
  }

  var body: some ReducerOf<Self> {
    BindingReducer()
    Reduce { state, action in
      switch action {
      case .binding(\.query):
        state.isSearching = true
        return .none

      case .binding:
        return .none

      case .cancelSearchButtonTapped:
        state.isSearching = false
        state.query = ""
        return .none
      }
    }
  }
}
