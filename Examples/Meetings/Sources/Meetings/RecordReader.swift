import ComposableArchitecture
import ReplicatedFoundation

/// The screen that shows the record of a past meeting, and finds text in it.
@Reducer
public struct RecordReader: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable, Sendable {
    public var isSearching = false
    public let record: Record
    public var query = ""

    public init(isSearching: Bool = false, record: Record, query: String = "") {
      self.isSearching = isSearching
      self.record = record
      self.query = query
    }

    public var matches: Int {
      query.isEmpty ? 0 : record.transcript.components(separatedBy: query).count - 1
    }
  }

  @Replicated
  public enum Action: BindableAction, Sendable {
    case binding(BindingAction<State>)
    case cancelSearchButtonTapped
  }

  public init() {}

  public var body: some ReducerOf<Self> {
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
