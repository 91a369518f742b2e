import ComposableArchitecture
import ComposableArchitectureClassic
import ComposableTesting
import Testing

/// The classic `Reducer`, qualified because this file imports both generations.
private typealias ClassicReducer = ComposableArchitectureClassic.Reducer
private typealias ClassicEffect = ComposableArchitectureClassic.Effect

private struct SearchState: Equatable {
  var query = ""
  var results: [String] = []
}

private enum SearchAction: Equatable {
  case queryChanged(String)
  case response(Result<[String], SearchError>)
}

private struct SearchError: Error, Equatable {}

private struct SearchEnvironment {
  var queue: AnySchedulerOf<DispatchQueue>
  var search: (String) -> ClassicEffect<[String], SearchError>
}

private let searchReducer = ClassicReducer<SearchState, SearchAction, SearchEnvironment> {
  state, action, environment in
  struct SearchID: Hashable {}
  switch action {
  case .queryChanged(let query):
    state.query = query
    return environment.search(query)
      .debounce(id: SearchID(), for: 0.3, scheduler: environment.queue)
      .catchToEffect(SearchAction.response)
  case .response(.success(let results)):
    state.results = results
    return .none
  case .response(.failure):
    state.results = []
    return .none
  }
}

/// A classic reducer as a child of a feature of 1.x.
private struct App: ComposableArchitecture.Reducer {
  struct State: Equatable {
    var search: SearchState? = SearchState()
    var count = 0
  }
  @CasePathable enum Action { case search(SearchAction), increment, close }
  let environment: SearchEnvironment

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .increment: state.count += 1
      case .close: state.search = nil
      case .search: break
      }
      return .none
    }
    .ifLet(\.search, action: \.search) { Reduce(searchReducer, environment: environment) }
  }
}

/// A feature of 1.x among classic reducers.
private struct Counter: ComposableArchitecture.Reducer {
  struct State: Equatable { var count = 0 }
  enum Action: Equatable { case increment, incrementLater, later }
  var clock: any Clock<Duration>

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .increment:
        state.count += 1
        return .none
      case .incrementLater:
        return .run { send in
          try await clock.sleep(for: .seconds(1))
          await send(.later)
        }
        .cancellable(id: "later")
      case .later:
        state.count += 10
        return .cancel(id: "later")
      }
    }
  }
}

@MainActor @Suite struct BridgeTests {
  @Test func aClassicReducerInAFeature() async {
    let queue = DispatchQueue.test
    let store = ComposableTesting.TestStore(initialState: App.State()) {
      App(
        environment: SearchEnvironment(
          queue: queue.eraseToAnyScheduler(),
          search: { query in
            query.isEmpty ? ClassicEffect(error: SearchError()) : ClassicEffect(value: ["\(query)!"])
          }))
    }
    await store.send(.search(.queryChanged("a"))) { $0.search?.query = "a" }
    await store.send(.search(.queryChanged("ab"))) { $0.search?.query = "ab" }
    await queue.advance(by: 0.3)
    await store.receive(\.search) { $0.search?.results = ["ab!"] }
    await store.send(.search(.queryChanged(""))) { $0.search?.query = "" }
    await queue.advance(by: 0.3)
    await store.receive(\.search) { $0.search?.results = [] }
    // Removing a child cancels its effects.
    await store.send(.search(.queryChanged("b"))) { $0.search?.query = "b" }
    await store.send(.close) { $0.search = nil }
    await queue.advance(by: 1)
    await store.finish()
  }

  @Test func aFeatureAmongClassicReducers() async {
    struct State: Equatable { var counter = Counter.State() }
    enum Action: Equatable { case counter(Counter.Action) }
    let clock = TestClock()
    let reducer = ClassicReducer<State, Action, TestClock<Duration>>.combine(
      ClassicReducer<Counter.State, Counter.Action, TestClock<Duration>>(feature: { Counter(clock: $0) })
        .pullback(state: \.counter, action: /Action.counter, environment: { $0 }))
    let store = ComposableArchitectureClassic.Store(initialState: State(), reducer: reducer, environment: clock)
    store.send(.counter(.increment))
    let task = store.send(.counter(.incrementLater))
    await clock.advance(by: .seconds(1))
    await task.finish()
    #expect(store.state.counter.count == 11)
  }

  @Test func aStoreOfOneGenerationUnderTheNamesOfTheOther() {
    let store = ComposableArchitecture.Store(initialState: Counter.State()) { Counter(clock: ContinuousClock()) }
    let viewStore = ComposableArchitectureClassic.ViewStore(ComposableArchitectureClassic.Store(store))
    var seen: [Int] = []
    let cancellable = viewStore.publisher.count.sink { seen.append($0) }
    store.send(.increment)
    viewStore.send(.increment)
    #expect(seen == [0, 1, 2] && store.count == 2)
    cancellable.cancel()
  }

  @Test func streamOperatorsOnAFeaturesEffects() async {
    let queue = DispatchQueue.test
    let clock = TestClock()
    let reducer = ClassicReducer<Counter.State, Counter.Action, Void> { state, action, _ in
      ClassicEffect(Counter(clock: clock).reduce(into: &state, action: action)).receive(on: queue).eraseToEffect()
    }
    let store = ComposableArchitectureClassic.Store(initialState: Counter.State(), reducer: reducer, environment: ())
    store.send(.incrementLater)
    await clock.advance(by: .seconds(1))
    #expect(store.state.count == 0)
    await queue.advance()
    #expect(store.state.count == 10)
  }
}
