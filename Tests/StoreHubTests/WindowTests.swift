import ComposableArchitecture
import EventLoop
import Features
import HubCore
import ReplicaCore
import StoreClient
import StoreHub
import Testing
import Wire

/// Windows of a hub's collections as stores, over a real socket.
@Suite(.serialized, .timeLimit(.minutes(30))) struct WindowTests {
  private func serve(_ bench: Bench, _ count: Int, limits: HubLimits = HubLimits()) throws -> HubServer {
    var state = AppFeature.State()
    state.todos.todos = IdentifiedArray(
      uniqueElements: (0..<count).map { Todo.State(id: $0, text: "todo \($0)") })
    state.todos.nextID = count
    return try bench.serve(FeatureEngine(initialState: state, reducer: AppFeature()), limits: limits)
  }

  private func client(_ bench: Bench) throws -> Client {
    let client = try Client(loop: bench.loop, path: bench.path, options: ReplicaOptions(subscribesToWholeState: false))
    client.start()
    return client
  }

  @Test func aPageOfManyTodosIsAStoreThatMoves() async throws {
    let bench = try Bench()
    let server = try serve(bench, 100_000)
    let client = try client(bench)
    let page = client.attach(to: { $0.todos.todos[window: 0..<50] }, action: { AppFeature.Action.todos($0) })
    #expect(await bench.until { page.store != nil })
    let store = try #require(page.store)
    #expect(store.count == 100_000 && store.positions == 0..<50 && store.elements.last?.text == "todo 49")

    // An action of an element is an action of the hub's feature.
    let task = store.send(.todos(.element(id: 3, action: .textChanged("bread"))))
    #expect(await bench.until { task.isOver })
    #expect(store.elements[3].text == "bread")

    client.move(page, to: { $0.todos.todos[window: 99_990..<100_040] })
    #expect(store.positions == 0..<50)
    #expect(await bench.until { store.start == 99_990 })
    // It is the same store, whose observers are told.
    #expect(page.store === store && store.elements.map(\.id) == Array(99_990..<100_000))
    let deletion = store.send(.deleteButtonTapped(id: 0))
    #expect(await bench.until { deletion.isOver })
    #expect(store.count == 99_999 && store.elements.map(\.id) == Array(99_991..<100_000))
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func theLastElementsFollowTheEnd() async throws {
    let bench = try Bench()
    let server = try serve(bench, 10)
    let client = try client(bench)
    let last = client.attach(to: { $0.todos.todos[last: 2] }, action: { AppFeature.Action.todos($0) })
    #expect(await bench.until { last.store != nil })
    let store = try #require(last.store)
    store.send(.addButtonTapped(text: "new"))
    #expect(await bench.until { store.count == 11 })
    #expect(store.elements.map(\.text) == ["todo 9", "new"])
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  @Test func aWindowOutlivesALostConnection() async throws {
    let bench = try Bench()
    let server = try serve(bench, 10)
    let client = try client(bench)
    let page = client.attach(to: { $0.todos.todos[window: 0..<3] }, action: { AppFeature.Action.todos($0) })
    #expect(await bench.until { page.store != nil })
    let store = try #require(page.store)
    #expect(await bench.stop(server))
    // It may be moved meanwhile.
    client.move(page, to: { $0.todos.todos[window: 3..<6] })
    let next = try serve(bench, 20)
    #expect(await bench.until { store.count == 20 })
    #expect(page.store === store && store.elements.map(\.id) == [3, 4, 5])
    client.close()
    #expect(await bench.stop(next))
    bench.clean()
  }

  @Test func aHubWithoutWindowsIsNamedAsTheReason() async throws {
    let bench = try Bench()
    var limits = HubLimits()
    limits.windowElements = 0
    let server = try serve(bench, 10, limits: limits)
    let client = try client(bench)
    let page = client.attach(to: { $0.todos.todos[window: 0..<3] }, action: { AppFeature.Action.todos($0) })
    #expect(await bench.until { page.isKnown })
    #expect(page.store == nil && client.connection == .live)
    #expect(client.refusal(of: page)?.contains("no windows") == true)
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }
}
