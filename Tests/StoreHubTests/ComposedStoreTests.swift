import ComposableArchitecture
import ComposableTesting
import EventLoop
import Features
import Foundation
import HubCore
import IdentifiedCollections
import IssueReporting
import ReplicaCore
import StoreClient
import StoreHub
import TestSupport
import Testing
import Wire

/// Stores whose state is partly the client's own and partly a hub's.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ComposedStoreTests {
  private typealias TodosClient = StoreClient<Todos.State, Todos.Action>

  private var quick: ReplicaOptions {
    var options = ReplicaOptions()
    (options.shortestDelay, options.longestDelay) = (.milliseconds(5), .milliseconds(50))
    return options
  }

  private func client(_ bench: Bench) throws -> TodosClient {
    let client = try TodosClient(loop: bench.loop, path: bench.path, options: quick)
    client.onConnectionNotice = nil
    return client
  }

  private func desk(_ client: TodosClient) -> StoreOf<Desk> {
    let store = client.store(initialState: Desk.State()) {
      Desk()
    } withDependencies: {
      $0.continuousClock = ContinuousClock()
    }
    client.start()
    return store
  }

  private func engine(_ texts: String...) -> FeatureEngine<Todos.State, Todos.Action> {
    FeatureEngine(
      initialState: Todos.State(
        todos: IdentifiedArray(uniqueElements: texts.enumerated().map { Todo.State(id: $0, text: $1) })),
      reducer: Todos())
  }

  /// Waits for the outcome of an action.
  private func taken(_ task: StoreTask, _ bench: Bench) async throws {
    #expect(await bench.until { task.isOver })
    try await task.taken()
  }

  @Test func twoClientsHaveTheirOwnNavigationAndOneList() async throws {
    let bench = try Bench()
    let engine = engine("milk", "bread")
    let server = try bench.serve(engine)
    let clients = [try client(bench), try client(bench)]
    let (first, second) = (desk(clients[0]), desk(clients[1]))
    #expect(await bench.until { [first, second].allSatisfy { $0.hub.todos.count == 2 && $0.connection == .live } })

    first.send(.noteTapped)
    first.send(.note(.presented(.textChanged("mine"))))
    second.send(.opened)
    second.send(.cursorMoved(3))
    #expect(first.note?.text == "mine" && first.path.isEmpty && first.cursor == 0)
    #expect(second.note == nil && second.path.count == 1 && second.cursor == 3)

    try await taken(first.send(.hub(.addButtonTapped(text: "tea"))), bench)
    try await taken(second.send(.addTwice("salt")), bench)
    #expect(await bench.until { [first, second].allSatisfy { $0.hub.todos.count == 5 } })
    #expect(engine.state.todos.map(\.text) == ["milk", "bread", "tea", "salt", "salt"])
    #expect(first.hub == engine.state && second.hub == engine.state)
    // The reducers have read the hub's state and their own together.
    #expect(first.counts.last == [5, 0] && second.counts.last == [5, 3])
    #expect(first.note?.text == "mine" && second.path.count == 1)

    try await taken(first.send(.addLater("rice")), bench)
    #expect(engine.state.todos.map(\.text).suffix(2) == ["salt", "rice"])
    for client in clients { client.close() }
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func onlyWhoReadWhatChangedIsTold() async throws {
    let bench = try Bench()
    let server = try bench.serve(engine("milk", "bread"))
    let (client, other) = (try client(bench), try client(bench))
    let (store, theirs) = (desk(client), desk(other))
    #expect(await bench.until { [store, theirs].allSatisfy { $0.hub.todos.count == 2 && $0.connection == .live } })
    let rows = Array(store.scope(state: \.hub.todos, action: \.hub.todos))
    var (first, second, cursors, next): ([String], [String], [Int], [Int]) = ([], [], [], [])
    let observations = [
      observe { first.append(rows[0].text) }, observe { second.append(rows[1].text) },
      observe { cursors.append(store.cursor) }, observe { next.append(store.hub.nextID) },
    ]
    theirs.send(.hub(.todos(.element(id: 1, action: .textChanged("rye")))))
    #expect(await bench.until { second == ["bread", "rye"] })
    rows[0].send(.textChanged("oats"))
    #expect(await bench.until { first == ["milk", "oats"] && theirs.hub.todos[id: 0]?.text == "oats" })
    store.send(.cursorMoved(1))
    #expect(second == ["bread", "rye"] && cursors == [0, 1] && next == [2])
    #expect(Array(store.scope(state: \.hub.todos, action: \.hub.todos)) == rows)
    withExtendedLifetime(observations) {}
    client.close()
    other.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func predictedActionsAreShownAtOnceAndRefusalsTakenBack() async throws {
    let bench = try Bench()
    var limits = HubLimits()
    limits.stateBytes = 4096
    let engine = engine()
    let server = try bench.serve(engine, limits: limits)
    let client = try TodosClient(loop: bench.loop, path: bench.path, options: quick, predictingWith: Todos())
    let store = desk(client)
    #expect(await bench.until { store.connection == .live })

    let task = store.send(.hub(.addButtonTapped(text: "milk")))
    #expect(store.hub.todos.map(\.text) == ["milk"] && engine.state.todos.isEmpty)
    #expect(store.counts == [[1, 0]])
    try await taken(task, bench)
    #expect(await bench.until { engine.state.todos.count == 1 })

    let refused = store.send(.hub(.addButtonTapped(text: String(repeating: "x", count: 8192))))
    #expect(store.hub.todos.count == 2)
    await #expect(throws: ActionError.self) { try await taken(refused, bench) }
    #expect(await bench.until { store.hub.todos.count == 1 && store.refusals.count == 1 })
    #expect(store.refusals[0].contains("refused"), "\(store.refusals)")
    #expect(store.hub == engine.state && store.counts == [[1, 0], [2, 0], [1, 0]])
    client.close()
    #expect(store.connection == .closed)
    await #expect(throws: ActionError.self) { try await taken(store.send(.hub(.addButtonTapped(text: "late"))), bench) }
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aWriteToTheHubsStateIsAnIssueAndTakenBack() async throws {
    let bench = try Bench()
    let engine = engine("milk")
    let server = try bench.serve(engine)
    let client = try client(bench)
    let store = desk(client)
    #expect(await bench.until { store.hub.todos.count == 1 })
    let issues = withExpectedIssue { _ = store.send(.todoScribbled) }
    #expect(
      issues.count == 1 && issues[0].hasPrefix("A reducer changed the state of a hub in this process."), "\(issues)")
    #expect(issues[0].contains("Desk.Action.todoScribbled"), "\(issues)")
    #expect(store.hub == engine.state)
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func actionsThatWaitForALostHubArriveOnce() async throws {
    let bench = try Bench()
    let engine = engine("milk")
    var server = try bench.serve(engine)
    let client = try client(bench)
    let store = desk(client)
    #expect(await bench.until { store.connection == .live })
    #expect(await bench.stop(server))
    #expect(await bench.until { if case .stale = store.connection { true } else { false } })
    #expect(store.hub.todos.map(\.text) == ["milk"])
    let task = store.send(.hub(.addButtonTapped(text: "tea")))
    store.send(.cursorMoved(2))
    #expect(store.hub.todos.count == 1 && !task.isOver)
    server = try bench.serve(engine)
    #expect(await bench.until { task.isOver && store.connection == .live })
    #expect(store.hub.todos.map(\.text) == ["milk", "tea"] && store.cursor == 2)
    // Whoever stops waiting does not recall the action.
    #expect(await bench.stop(server))
    let waiting = store.send(.hub(.addButtonTapped(text: "salt")))
    waiting.cancel()
    #expect(await bench.until { waiting.isOver })
    server = try bench.serve(engine)
    #expect(await bench.until { store.hub.todos.map(\.text) == ["milk", "tea", "salt"] })
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aPartThatMayBeAbsentIsShownInAFeatureWithoutEvents() async throws {
    let bench = try Bench()
    let engine = engine("milk", "bread")
    let server = try bench.serve(engine)
    var options = quick
    options.subscribesToWholeState = false
    let client = try TodosClient(loop: bench.loop, path: bench.path, options: options)
    let store = client.store(initialState: Glance.State()) { Glance() }
    client.start()
    let issues = withExpectedIssue { _ = store.send(.todo(.textChanged("early"))) }
    #expect(issues.first?.contains("not attached") == true, "\(issues)")
    let todo = client.attach(to: { $0.todos[id: 1] }, action: { .todos(.element(id: 1, action: $0)) })
    todo.show(in: store)
    var texts: [String?] = []
    let observation = observe { texts.append(store.todo?.text) }
    #expect(await bench.until { texts == [nil, "bread"] })
    try await taken(store.send(.todo(.textChanged("rye"))), bench)
    store.send(.looked)
    #expect(await bench.until { texts == [nil, "bread", "rye"] })
    let deletion = client.attach(to: { $0 }, action: { (action: Todos.Action) in action })
    #expect(await bench.until { deletion.store != nil })
    deletion.store?.send(.deleteButtonTapped(id: 1))
    #expect(await bench.until { texts.last == .some(nil) && texts.count == 4 })
    #expect(store.looks == 1)
    let other = Store(initialState: Glance.State()) { Glance() }
    #expect(withExpectedIssue { todo.show(in: other) }.count == 1)
    let nested = client.store(initialState: Shelf.State()) { Shelf() }
    #expect(withExpectedIssue { todo.show(in: nested) }.first?.contains("root feature") == true)
    withExtendedLifetime(observation) {}
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// A hub process with a journal is killed: nothing that it acknowledged is lost, and what it did not know comes once.
  @Test func aKilledHubLosesNothing() async throws {
    let bench = try Bench()
    var options = quick
    options.subscribesToWholeState = false
    var clients: [Client] = []
    var stores: [StoreOf<Desk>] = []
    for cursor in 0..<2 {
      let client = try Client(loop: bench.loop, path: bench.path, options: options)
      client.onConnectionNotice = nil
      let store = client.store(initialState: Desk.State(cursor: cursor)) { Desk() }
      client.attach(to: { $0.todos }, action: { .todos($0) }, predictingWith: Todos()).show(in: store)
      client.start()
      clients.append(client)
      stores.append(store)
    }
    var expected: Set<String> = []
    for round in 0..<3 {
      let hub = try process(bench)
      #expect(await bench.until { stores.allSatisfy { $0.connection == .live } })
      for (index, store) in stores.enumerated() {
        let text = "\(index)-\(round)"
        expected.insert(text)
        try await taken(store.send(.hub(.addButtonTapped(text: text))), bench)
      }
      kill(hub.processIdentifier, SIGKILL)
      hub.waitUntilExit()
      #expect(await bench.until { stores.allSatisfy { $0.connection != .live } })
      for (index, store) in stores.enumerated() {
        expected.insert("\(index)-\(round)-late")
        store.send(.hub(.addButtonTapped(text: "\(index)-\(round)-late")))
        store.send(.cursorMoved(2))
      }
    }
    let hub = try process(bench)
    #expect(await bench.until { stores.allSatisfy { $0.hub.todos.count >= expected.count } })
    #expect(await bench.until { clients.allSatisfy { $0.pendingActionCount == 0 } })
    for store in stores { #expect(store.hub.todos.map(\.text).sorted() == expected.sorted()) }
    #expect(stores[0].hub == stores[1].hub && stores.map(\.cursor) == [6, 7])
    for client in clients { client.close() }
    kill(hub.processIdentifier, SIGTERM)
    hub.waitUntilExit()
    bench.clean()
  }

  private func process(_ bench: Bench) throws -> Process {
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
    let process = Process()
    process.executableURL = URL(fileURLWithPath: bundle).deletingLastPathComponent().appending(path: "storehubd")
    process.arguments = ["--socket", bench.path, "--state-dir", bench.directory + "/state"]
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  // MARK: Without a hub

  @Test func aTestStoreRunsBothHalves() async {
    let clock = TestClock()
    let store = TestStore(initialState: Desk.State(cursor: 1)) {
      Desk()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.hub(.addButtonTapped(text: "milk"))) {
      $0.hub = Todos.State(todos: [Todo.State(id: 0, text: "milk")])
      $0.counts = [[1, 1]]
    }
    await store.receive(\.hubEvent.changed)
    await store.send(.noteTapped) { $0.note = Note.State(text: "milk") }
    await store.send(.addLater("tea"))
    await clock.advance(by: .milliseconds(1))
    await store.receive(\.hub.addButtonTapped) {
      $0.hub = Todos.State(todos: [Todo.State(id: 0, text: "milk"), Todo.State(id: 1, text: "tea")])
      $0.counts = [[1, 1], [2, 1]]
    }
    await store.receive(\.hubEvent.changed)
    // The hub's effects run too.
    await store.send(.hub(.todos(.element(id: 0, action: .completionChanged(true))))) {
      $0.hub.todos[id: 0]?.isComplete = true
    }
    await store.receive(\.hubEvent.changed)
    await clock.advance(by: .seconds(10))
    await store.receive(\.hub.sortCompletedTodos) { $0.hub.todos.move(fromOffsets: [0], toOffset: 2) }
    await store.receive(\.hubEvent.changed)
    // What changes nothing is no event.
    await store.send(.hub(.deleteButtonTapped(id: 9)))
    let issues = await withExpectedIssue { await store.send(.todoScribbled) }
    #expect(issues.count == 1 && store.state.hub.nextID == 2)
  }
}
