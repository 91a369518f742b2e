import ComposableArchitectureClassic
import ComposableArchitectureTestSupport
import ConcurrencyExtras
import IssueReporting
import Testing

/// Reducers and their operators, with code written for 0.1 to 0.40.
@MainActor @Suite struct ReducerTests {
  struct CounterState: Equatable, Identifiable {
    var id = 0
    var count = 0
  }

  enum CounterAction: Equatable { case increment, incrementLater, later }

  struct CounterEnvironment {
    var queue: AnySchedulerOf<DispatchQueue> = .immediate
  }

  static let counterReducer = Reducer<CounterState, CounterAction, CounterEnvironment> { state, action, environment in
    switch action {
    case .increment:
      state.count += 1
      return .none
    case .incrementLater:
      return Effect(value: .later).delay(for: 1, scheduler: environment.queue).eraseToEffect()
    case .later:
      state.count += 10
      return .none
    }
  }

  struct AppState: Equatable {
    var counter = CounterState()
    var optional: CounterState?
    var array: [CounterState] = [CounterState(id: 0), CounterState(id: 1)]
    var identified: IdentifiedArrayOf<CounterState> = [CounterState(id: 7), CounterState(id: 8)]
    var dictionary: [String: CounterState] = ["a": CounterState()]
    var mode = Mode.off
  }

  enum Mode: Equatable { case off, on(CounterState) }

  enum AppAction: Equatable {
    case counter(CounterAction)
    case optional(CounterAction)
    case array(index: Int, action: CounterAction)
    case identified(id: Int, action: CounterAction)
    case dictionary(key: String, action: CounterAction)
    case mode(CounterAction)
    case toggle
  }

  struct AppEnvironment { var queue: AnySchedulerOf<DispatchQueue> }

  static let appReducer = Reducer<AppState, AppAction, AppEnvironment>.combine(
    counterReducer.pullback(
      state: \.counter, action: /AppAction.counter, environment: { CounterEnvironment(queue: $0.queue) }),
    counterReducer.optional().pullback(
      state: \.optional, action: /AppAction.optional, environment: { CounterEnvironment(queue: $0.queue) }),
    counterReducer.forEach(
      state: \.array, action: /AppAction.array(index:action:), environment: { CounterEnvironment(queue: $0.queue) }),
    counterReducer.forEach(
      state: \.identified, action: /AppAction.identified(id:action:),
      environment: { CounterEnvironment(queue: $0.queue) }),
    counterReducer.forEach(
      state: \.dictionary, action: /AppAction.dictionary(key:action:),
      environment: { CounterEnvironment(queue: $0.queue) }),
    counterReducer.pullback(state: /Mode.on, action: .self, environment: { (_: Void) in CounterEnvironment() })
      .pullback(state: \.mode, action: /AppAction.mode, environment: { _ in () }),
    Reducer { state, action, _ in
      if action == .toggle {
        state.optional = state.optional == nil ? CounterState() : nil
        state.mode = .on(CounterState())
      }
      return .none
    }
  )

  @Test func everyLiftReachesItsPart() {
    let queue = DispatchQueue.testScheduler
    let store = TestStore(
      initialState: AppState(), reducer: Self.appReducer,
      environment: AppEnvironment(queue: queue.eraseToAnyScheduler()))
    store.assert(
      .send(.counter(.increment)) { $0.counter.count = 1 },
      .send(.array(index: 1, action: .increment)) { $0.array[1].count = 1 },
      .send(.identified(id: 8, action: .increment)) { $0.identified[id: 8]?.count = 1 },
      .send(.dictionary(key: "a", action: .increment)) { $0.dictionary["a"]?.count = 1 },
      .send(.toggle) {
        $0.optional = CounterState()
        $0.mode = .on(CounterState())
      },
      .send(.optional(.increment)) { $0.optional?.count = 1 },
      .send(.mode(.increment)) { $0.mode = .on(CounterState(id: 0, count: 1)) },
      .sequence(
        .send(.identified(id: 7, action: .incrementLater)),
        .send(.dictionary(key: "a", action: .incrementLater)),
        .do { queue.advance(by: 1) },
        .receive(.identified(id: 7, action: .later)) { $0.identified[id: 7]?.count = 10 },
        .receive(.dictionary(key: "a", action: .later)) { $0.dictionary["a"]?.count = 11 }),
      .environment { $0.queue = .immediate },
      .send(.counter(.incrementLater)),
      .receive(.counter(.later)) { $0.counter.count = 11 })
  }

  @Test func actionsForWhatIsNotThereAreReported() {
    let store = Store(
      initialState: AppState(), reducer: Self.appReducer, environment: AppEnvironment(queue: .immediate))
    let before = store.state
    for action: AppAction in [
      .optional(.increment), .array(index: 2, action: .increment), .identified(id: 1, action: .increment),
      .dictionary(key: "b", action: .increment), .mode(.increment),
    ] {
      withExpectedIssue { _ = store.send(action) }
    }
    #expect(store.state == before)
  }

  @Test func aCombinedReducerRunsInOrderOnTheSameState() {
    let first = Reducer<[String], Int, Void> { state, action, _ in
      state.append("first \(action)")
      return action == 0 ? Effect(value: 1) : .none
    }
    let second = Reducer<[String], Int, Void> { state, action, _ in
      state.append("second \(action) after \(state.count)")
      return action == 0 ? Effect(value: 2) : .none
    }
    let store = Store(initialState: [], reducer: first.combined(with: second), environment: ())
    store.send(0)
    #expect(
      store.state == [
        "first 0", "second 0 after 1", "first 1", "second 1 after 3", "first 2", "second 2 after 5",
      ])
    var state = ["x"]
    _ = Reducer<[String], Int, Void>.empty(&state, 1, ())
    _ = first.run(&state, 5, ())
    #expect(state == ["x", "first 5"])
  }

  @Test func bindingsChangeFieldsBeforeTheReducerRuns() {
    struct Settings: Equatable {
      var name = ""
      var changes = 0
    }
    enum SettingsAction: Equatable { case binding(BindingAction<Settings>) }
    let reducer = Reducer<Settings, SettingsAction, Void> { state, action, _ in
      switch action {
      case .binding(\.name):
        state.changes += state.name.count
        return .none
      case .binding: return .none
      }
    }
    .binding(action: /SettingsAction.binding)
    let store = Store(initialState: Settings(), reducer: reducer, environment: ())
    let viewStore = ViewStore(store)
    viewStore.send(.binding(.set(\.name, "Blob")))
    #expect(viewStore.name == "Blob" && viewStore.changes == 4)
  }

  @Test func higherOrderReducersOfTheCaseStudies() {
    // The lifecycle reducer of the case studies, as a user of the library wrote it.
    enum LifecycleAction<Action: Equatable>: Equatable { case onAppear, onDisappear, action(Action) }
    struct TimerID: Hashable {}
    func lifecycle<S, A: Equatable, E>(
      _ reducer: Reducer<S, A, E>, onAppear: @escaping (E) -> Effect<A, Never>,
      onDisappear: @escaping (E) -> Effect<Never, Never>
    ) -> Reducer<S?, LifecycleAction<A>, E> {
      let functions = UncheckedSendable((onAppear, onDisappear))
      return .init { state, action, environment in
        switch action {
        case .onAppear: return functions.value.0(environment).map(LifecycleAction.action)
        case .onDisappear: return functions.value.1(environment).fireAndForget()
        case .action(let action):
          guard state != nil else { return .none }
          return reducer.run(&state!, action, environment).map(LifecycleAction.action)
        }
      }
    }
    let queue = DispatchQueue.testScheduler
    let timer = Reducer<Int, Bool, AnySchedulerOf<DispatchQueue>> { state, _, _ in
      state += 1
      return .none
    }
    let reducer = lifecycle(
      timer,
      onAppear: { Effect.timer(id: TimerID(), every: 1, tolerance: 0, on: $0).map { _ in true } },
      onDisappear: { _ in .cancel(id: TimerID()) })
    let store = TestStore(initialState: 0, reducer: reducer, environment: queue.eraseToAnyScheduler())
    store.assert(
      .send(.onAppear),
      .do { queue.advance(by: 2) },
      .receive(.action(true)) { $0 = 1 },
      .receive(.action(true)) { $0 = 2 },
      .send(.onDisappear),
      .do { queue.advance(by: 2) })
  }

  @Test func pullbacksAlongOptionalPaths() {
    struct Screen: Equatable {
      var mode = Mode.on(CounterState())
      var selected: CounterState?
    }
    enum Action: Equatable { case mode(CounterAction), selected(Nested) }
    enum Nested: Equatable { case counter(CounterAction), other }
    let reducer = Reducer<Screen, Action, CounterEnvironment>.combine(
      Self.counterReducer.pullback(
        state: (\Screen.mode) .. /Mode.on, action: /Action.mode, environment: { $0 }),
      Self.counterReducer.pullback(
        state: OptionalPath(\Screen.selected), action: (/Action.selected) .. OptionalPath(/Nested.counter),
        environment: { $0 }))
    let queue = DispatchQueue.testScheduler
    let store = TestStore(
      initialState: Screen(), reducer: reducer,
      environment: CounterEnvironment(queue: queue.eraseToAnyScheduler()))
    store.send(.mode(.increment)) { $0.mode = .on(CounterState(count: 1)) }
    withExpectedIssue { store.send(.selected(.counter(.increment))) }
    store.send(.selected(.other))
    let selected = TestStore(
      initialState: Screen(selected: CounterState()), reducer: reducer,
      environment: CounterEnvironment(queue: queue.eraseToAnyScheduler()))
    selected.assert(
      .send(.selected(.counter(.incrementLater))),
      .do { queue.advance(by: 1) },
      .receive(.selected(.counter(.later))) { $0.selected?.count = 10 })
  }
}
