import ComposableArchitecture
import EventLoop
import Features
import HubCore
import ReplicaCore
import StoreClient
import StoreHub
import Testing
import Wire

/// A store whose actions take effect before the hub has answered.
@Suite(.serialized, .timeLimit(.minutes(30))) struct PredictedStoreTests {
  private func attach(
    _ bench: Bench, predictingWith reducer: some Reducer<AppFeature.State, AppFeature.Action> = AppFeature()
  ) throws -> Client {
    var options = ReplicaOptions()
    (options.shortestDelay, options.longestDelay) = (.milliseconds(5), .milliseconds(50))
    let client = try Client(loop: bench.loop, path: bench.path, options: options, predictingWith: reducer)
    client.start()
    return client
  }

  @Test func anActionTakesEffectAtOnceAndStays() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    let client = try attach(bench)
    #expect(await bench.until { client.store != nil })
    let store = try #require(client.store)
    var (counts, told): ([Int], Int) = ([], 0)
    let observation = observe { counts.append(store.counter.count) }
    let subscription = store.subscribe { _ in told += 1 }
    // The observer is called for the current state.
    told = 0

    let task = store.send(.counter(.incrementButtonTapped))
    #expect(store.counter.count == 1 && bench.engine.state.counter.count == 0)
    #expect(told == 1 && counts == [0, 1])
    store.send(.todos(.addButtonTapped(text: "milk")))
    #expect(store.todos.todos.map(\.text) == ["milk"])
    #expect(await bench.until { task.isOver && client.pendingActionCount == 0 })
    try await task.taken()
    #expect(store.counter.count == 1 && bench.engine.state.counter.count == 1)
    #expect(store.state == bench.engine.state)

    withExtendedLifetime((observation, subscription)) {}
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// Parts that are attached with their own reducers are predicted independently, and only what is attached arrives.
  @Test func partsArePredictedByTheirOwnReducers() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    var options = ReplicaOptions()
    options.subscribesToWholeState = false
    let client = try Client(loop: bench.loop, path: bench.path, options: options)
    let counter = client.attach(to: { $0.counter }, action: { .counter($0) }, predictingWith: Counter())
    client.start()
    #expect(await bench.until { counter.store != nil })
    let todos = client.attach(to: { $0.todos }, action: { .todos($0) }, predictingWith: Todos())
    // Attached late, which does not disturb the connection.
    #expect(client.connection == .live && todos.store == nil)
    #expect(await bench.until { todos.store != nil })
    var counts: [Int] = []
    let (first, second) = (try #require(counter.store), try #require(todos.store))
    let observation = observe { counts.append(first.count) }
    let tasks = [
      first.send(.incrementButtonTapped), second.send(.addButtonTapped(text: "milk")),
      first.send(.incrementButtonTapped),
    ]
    #expect(first.count == 2 && second.todos.map(\.text) == ["milk"])
    #expect(bench.engine.state.counter.count == 0)
    #expect(await bench.until { tasks.allSatisfy(\.isOver) && client.pendingActionCount == 0 })
    for task in tasks { try await task.taken() }
    #expect(counts.starts(with: [0, 1, 2]), "\(counts)")
    #expect(counts == counts.sorted(), "\(counts)")
    #expect(first.state == bench.engine.state.counter)
    #expect(second.state == bench.engine.state.todos)
    client.detach(todos)
    withExtendedLifetime(observation) {}
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// The hub writes the new value of a small part before the acknowledgement, which waits for the rest of a large part.
  @Test func noActionCountsTwiceWhileAnotherPartLoads() async throws {
    let bench = try Bench()
    var state = AppFeature.State()
    let list = (0..<100_000).map { Todo.State(id: $0, text: "todo \($0)") }
    state.todos.todos.append(contentsOf: list)
    let server = try bench.serve(FeatureEngine(initialState: state, reducer: AppFeature()))
    var options = ReplicaOptions()
    options.subscribesToWholeState = false
    let client = try Client(loop: bench.loop, path: bench.path, options: options)
    let counter = client.attach(to: { $0.counter }, action: { .counter($0) }, predictingWith: Counter())
    client.start()
    #expect(await bench.until { counter.store != nil })
    let store = try #require(counter.store)
    var counts: [Int] = []
    let observation = observe { counts.append(store.count) }
    let todos = client.attach(to: { $0.todos }, action: { .todos($0) })
    #expect(await bench.until { client.loadedByteCount > 0 })
    let task = store.send(.incrementButtonTapped)
    #expect(await bench.until { task.isOver && todos.store != nil })
    #expect(counts.max() == 1, "\(counts)")
    withExtendedLifetime(observation) {}
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// A hub has a limit on the bytes of snapshots in a turn, so it may have sent one part and nothing yet of another.
  @Test func noActionCountsTwiceBeforeAnotherPartBeginsToArrive() async throws {
    let bench = try Bench()
    let hub = try ScriptedHub(on: bench)
    var options = ReplicaOptions()
    options.subscribesToWholeState = false
    let client = try Client(loop: bench.loop, path: bench.path, options: options)
    let counter = client.attach(to: { $0.counter }, action: { .counter($0) }, predictingWith: Counter())
    client.start()
    let peer = await hub.accept()
    let (zero, one) = (Counter.State(), Counter.State(count: 1))
    hub.send(to: peer) {
      $0.welcome()
      $0.snapshot(of: zero, scope: 0, revision: 0)
    }
    #expect(await bench.until { counter.store != nil })
    let store = try #require(counter.store)
    var counts: [Int] = []
    let observation = observe { counts.append(store.count) }
    let todos = client.attach(to: { $0.todos }, action: { .todos($0) })
    let favourites = client.attach(to: { $0.favourites }, action: { .favourites($0) })
    let task = store.send(.incrementButtonTapped)
    hub.send(to: peer) {
      $0.frame(FrameHeader(kind: .delta, scope: 0, revision: 1)) {
        $0.arrayHeader(count: 2)
        $0.unsigned(0)
        one.encodeDelta(from: zero, to: &$0)
      }
      $0.snapshot(of: Todos.State(), scope: 1, revision: 1)
    }
    #expect(await bench.until { todos.store != nil })
    #expect(client.loadedByteCount == 0 && !task.isOver)
    hub.send(to: peer) {
      $0.snapshot(of: FavouriteNumbers.State(), scope: 2, revision: 1)
      $0.frame(FrameHeader(kind: .applied, revision: 1)) { $0.unsigned(1) }
    }
    #expect(await bench.until { favourites.store != nil && task.isOver })
    #expect(counts.max() == 1 && counts.last == 1, "\(counts)")
    withExtendedLifetime(observation) {}
    client.close()
    hub.close()
    bench.clean()
  }

  /// A reducer of a part that is wrong is corrected like that of the whole state.
  @Test func aWrongPredictionOfAPartIsCorrected() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    var options = ReplicaOptions()
    options.subscribesToWholeState = false
    let client = try Client(loop: bench.loop, path: bench.path, options: options)
    let wrong = Reduce<Counter.State, Counter.Action> { state, _ in
      state.count += 10
      return .none
    }
    let counter = client.attach(to: { $0.counter }, action: { .counter($0) }, predictingWith: wrong)
    client.start()
    #expect(await bench.until { counter.store != nil })
    let store = try #require(counter.store)
    let task = store.send(.incrementButtonTapped)
    #expect(store.count == 10)
    #expect(await bench.until { task.isOver && store.count == 1 })
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// The outcomes of actions are not known to a detached part, so it shows none that is pending.
  @Test func aDetachedPartPredictsNothing() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    var options = ReplicaOptions()
    options.subscribesToWholeState = false
    let client = try Client(loop: bench.loop, path: bench.path, options: options)
    let counter = client.attach(to: { $0.counter }, action: { .counter($0) }, predictingWith: Counter())
    client.start()
    #expect(await bench.until { counter.store != nil })
    let store = try #require(counter.store)
    var counts: [Int] = []
    let observation = observe { counts.append(store.count) }
    store.send(.incrementButtonTapped)
    client.detach(counter)
    #expect(counts == [0, 1, 0])
    store.send(.incrementButtonTapped)
    #expect(store.count == 0)
    #expect(await bench.until { client.pendingActionCount == 0 })
    #expect(bench.engine.state.counter.count == 2)
    #expect(store.count == 0 && counts == [0, 1, 0], "\(counts)")
    withExtendedLifetime(observation) {}
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// A later callback of the turn in which the part has disappeared may detach it.
  @Test func whatIsPredictedOfAPartThatHasJustGoneIsTakenBack() async throws {
    let bench = try Bench()
    let hub = try ScriptedHub(on: bench)
    var options = ReplicaOptions()
    options.subscribesToWholeState = false
    let client = try Client(loop: bench.loop, path: bench.path, options: options)
    let todo = client.attach(
      to: { $0.todos.todos[id: 3] }, action: { .todos(.todos(.element(id: 3, action: $0))) }, predictingWith: Todo())
    client.start()
    let peer = await hub.accept()
    hub.send(to: peer) {
      $0.welcome()
      $0.snapshot(of: Todo.State(id: 3, text: "milk"), scope: 0, revision: 0)
    }
    #expect(await bench.until { todo.store != nil })
    let store = try #require(todo.store)
    var texts: [String] = []
    let subscription = store.subscribe { texts.append($0.text) }
    store.send(.textChanged("bread"))
    // The hooks that were added last run first, hence between the client's reading and the end of its turn.
    var isDetached = false
    let hooks = try TurnHooks(on: bench.loop) {
      guard todo.revision > 0, !isDetached else { return }
      client.detach(todo)
      isDetached = true
    }
    hub.send(to: peer) { $0.frame(FrameHeader(kind: .absent, scope: 0, revision: 1)) { _ in } }
    #expect(await bench.until { isDetached })
    #expect(texts == ["milk", "bread", "milk"])
    withExtendedLifetime(subscription) {}
    withExtendedLifetime(hooks) {}
    client.close()
    hub.close()
    bench.clean()
  }

  @Test func whatFailsBecauseACallbackClosesTheClientIsTakenBack() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    let client = try attach(bench)
    #expect(await bench.until { client.store != nil })
    let store = try #require(client.store)
    var counts: [Int] = []
    let observation = observe { counts.append(store.counter.count) }
    #expect(await bench.stop(server))
    #expect(await bench.until { client.connection != .live })
    let task = store.send(.counter(.incrementButtonTapped))
    #expect(store.counter.count == 1)
    client.onConnectionChange = { client.close() }
    #expect(await bench.until { task.isOver })
    #expect(client.connection == .closed)
    await #expect(throws: ActionError.self) { try await task.taken() }
    #expect(store.counter.count == 0 && counts == [0, 1, 0], "\(counts)")
    withExtendedLifetime(observation) {}
    bench.clean()
  }

  /// This client's reducer is wrong on purpose; the hub's result counts, and observers are notified.
  @Test func whatTheHubDecidesDifferentlyIsCorrected() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    let wrong = Reduce<AppFeature.State, AppFeature.Action> { state, action in
      state.counter.count += 10
      state.todos.todos.append(Todo.State(id: 1000 + state.todos.todos.count, text: "dream"))
      return .none
    }
    let client = try attach(bench, predictingWith: wrong)
    #expect(await bench.until { client.store != nil })
    let store = try #require(client.store)
    var (counts, lists): ([Int], [[String]]) = ([], [])
    let todos = store.scope(state: \.todos, action: \.todos)
    let observations = [
      observe { counts.append(store.counter.count) }, observe { lists.append(todos.todos.map(\.text)) },
    ]
    store.send(.counter(.incrementButtonTapped))
    #expect(store.counter.count == 10 && store.todos.todos.count == 1)
    #expect(await bench.until { client.pendingActionCount == 0 && store.counter.count == 1 })
    #expect(store.state == bench.engine.state)
    #expect(counts.last == 1 && counts.contains(10))
    // The hub has not changed the list, but the shown list changes back.
    #expect(lists == [[], ["dream"], []])

    withExtendedLifetime(observations) {}
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func anActionThatNoHubTakesIsTakenBack() async throws {
    let bench = try Bench()
    var server = try bench.serve()
    let client = try attach(bench)
    #expect(await bench.until { client.store != nil })
    let store = try #require(client.store)
    store.send(.counter(.incrementButtonTapped))
    #expect(await bench.until { bench.engine.state.counter.count == 1 && client.pendingActionCount == 0 })
    #expect(await bench.stop(server))
    #expect(await bench.until { client.connection != .live })
    // Without a connection, the action is still shown, on the last known state.
    let waiting = store.send(.counter(.incrementButtonTapped))
    #expect(store.counter.count == 2 && client.pendingActionCount == 1)
    // Another hub without the history, which gets the action.
    server = try bench.serve()
    #expect(await bench.until { client.connection == .live && waiting.isOver })
    #expect(await bench.until { store.counter.count == 1 })
    #expect(client.lossCount == 1)

    // An action that is too large for any hub is never shown.
    let refused = store.send(.todos(.addButtonTapped(text: String(repeating: "x", count: 1 << 21))))
    #expect(store.todos.todos.isEmpty)
    await #expect(throws: ActionError.self) { try await refused.taken() }
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// An action may meet a state that its sender did not see, which is not an error of the program.
  @Test func whatTheReducerReportsIsNotReportedHere() async throws {
    let bench = try Bench()
    let server = try bench.serve()
    let complaining = Reduce<AppFeature.State, AppFeature.Action> { _, _ in
      reportIssue("this must not be seen")
      return .none
    }
    let client = try attach(bench, predictingWith: complaining)
    #expect(await bench.until { client.store != nil })
    client.store?.send(.counter(.incrementButtonTapped))
    #expect(await bench.until { client.store?.counter.count == 1 })
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }
}
