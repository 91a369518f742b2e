import ReplicatedArchitecture

/// A shared feature.
@Reducer
public struct Shelf: Sendable {
  @ObservableState @Replicated
  public struct State: Equatable {
    public var books: IdentifiedArrayOf<Book> = []
    public var isOpen = false
    public init() {}
  }

  @Replicated
  public struct Book: Equatable, Identifiable {
    public let id: Int
    public var title: String

    public init(id: Int, title: String) {
      self.id = id
      self.title = title
    }
  }

  @Replicated
  public enum Action {
    case added(title: String)
    case opened
    case closed
  }

  enum CancelID { case closing }
  @Dependency(\.continuousClock) var clock

  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .added(let title):
        state.books.append(Book(id: state.books.count, title: title))
        return .none
      case .opened:
        state.isOpen = true
        return .run { send in
          try await clock.sleep(for: .seconds(60))
          await send(.closed)
        }
        .cancellable(id: CancelID.closing, cancelInFlight: true)
      case .closed:
        state.isOpen = false
        return .none
      }
    }
  }
}
