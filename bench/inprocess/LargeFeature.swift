import ComposableCore

/// A feature with thirty actions and ten children: `scripts/bench-typecheck` times how long the compiler takes for this
/// file alone.
@Reducer
struct LargeFeature {
  @ObservableState struct State: Sendable {
    var profile = Counter.State()
    var settings = Counter.State()
    var search = Counter.State()
    var feed = Counter.State()
    var inbox = Counter.State()
    var draft: Counter.State?
    var rows: IdentifiedArrayOf<Row.State> = []
    var archived: IdentifiedArrayOf<Row.State> = []
    @Presents var sheet: Counter.State?
    @Presents var destination: Destination.State?
    var text = ""
    var numbers: [Int] = []
    var isLoading = false
  }

  enum Action: Sendable {
    case profile(Counter.Action)
    case settings(Counter.Action)
    case search(Counter.Action)
    case feed(Counter.Action)
    case inbox(Counter.Action)
    case draft(Counter.Action)
    case rows(IdentifiedActionOf<Row>)
    case archived(IdentifiedActionOf<Row>)
    case sheet(PresentationAction<Counter.Action>)
    case destination(PresentationAction<Destination.Action>)
    case appeared
    case disappeared
    case refreshTapped
    case refreshed(Result<[Int], LargeFeatureError>)
    case textChanged(String)
    case searchTapped
    case searchResponse([Int])
    case addTapped
    case removeTapped(Int)
    case archiveTapped(Int)
    case restoreTapped(Int)
    case sheetTapped
    case sheetClosed
    case destinationTapped
    case otherTapped
    case draftTapped
    case draftDiscarded
    case loadingChanged(Bool)
    case reset
    case timerTicked
  }

  private enum CancelID { case search, timer }

  @Dependency(\.continuousClock) private var clock

  var body: some ReducerOf<Self> {
    Scope(state: \.profile, action: \.profile) { Counter() }
    Scope(state: \.settings, action: \.settings) { Counter() }
    Scope(state: \.search, action: \.search) { Counter() }
    Scope(state: \.feed, action: \.feed) { Counter() }
    Scope(state: \.inbox, action: \.inbox) { Counter() }
    Reduce { state, action in
      switch action {
      case .appeared:
        return .run { [clock] send in
          for await _ in clock.timer(interval: .seconds(1)) { await send(.timerTicked) }
        }
        .cancellable(id: CancelID.timer, cancelInFlight: true)
      case .disappeared: return .merge(.cancel(id: CancelID.timer), .cancel(id: CancelID.search))
      case .refreshTapped:
        state.isLoading = true
        return .run { [count = state.numbers.count] send in
          await send(.refreshed(.success((0..<count).map { $0 * 2 })))
        }
      case .refreshed(.success(let numbers)):
        (state.numbers, state.isLoading) = (numbers, false)
        return .none
      case .refreshed(.failure):
        state.isLoading = false
        return .none
      case .textChanged(let text):
        state.text = text
        return text.isEmpty ? .cancel(id: CancelID.search) : .send(.searchTapped)
      case .searchTapped:
        return .run { [clock, text = state.text] send in
          try await clock.sleep(for: .milliseconds(300))
          await send(.searchResponse(text.compactMap(\.wholeNumberValue).filter { $0 > 0 }))
        }
        .cancellable(id: CancelID.search, cancelInFlight: true)
      case .searchResponse(let numbers):
        state.numbers = numbers.sorted(by: >)
        return .none
      case .addTapped:
        state.rows.append(Row.State(id: state.rows.count + state.archived.count))
        return .none
      case .removeTapped(let id):
        state.rows.remove(id: id)
        return .none
      case .archiveTapped(let id):
        if let row = state.rows.remove(id: id) { state.archived.append(row) }
        return .none
      case .restoreTapped(let id):
        if let row = state.archived.remove(id: id) { state.rows.append(row) }
        return .none
      case .sheetTapped:
        state.sheet = Counter.State(count: state.profile.count + state.rows.reduce(0) { $0 + $1.count })
        return .none
      case .sheetClosed:
        state.sheet = nil
        return .none
      case .destinationTapped:
        state.destination = .counter(Counter.State())
        return .none
      case .otherTapped:
        state.destination = .other(Counter.State(count: state.numbers.max() ?? 0))
        return .none
      case .draftTapped:
        state.draft = Counter.State()
        return .none
      case .draftDiscarded:
        state.draft = nil
        return .none
      case .loadingChanged(let isLoading):
        state.isLoading = isLoading
        return .none
      case .reset:
        state = State()
        return .none
      case .timerTicked:
        state.numbers.append(state.feed.count + state.inbox.count)
        return .none
      case .profile, .settings, .search, .feed, .inbox, .draft, .rows, .archived, .sheet, .destination: return .none
      }
    }
    .ifLet(\.draft, action: \.draft) { Counter() }
    .forEach(\.rows, action: \.rows) { Row() }
    .forEach(\.archived, action: \.archived) { Row() }
    .ifLet(\.$sheet, action: \.sheet) { Counter() }
    .ifLet(\.$destination, action: \.destination)
  }
}

struct LargeFeatureError: Error, Equatable {}
