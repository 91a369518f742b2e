import ComposableArchitecture
import EventLoop
import Features
import Glibc
import HubCore
import ReplicaCore
import StoreClient
import StoreHub
import Testing
import Wire

/// Views that a feature declares as stores, over a real socket.
@Suite(.serialized, .timeLimit(.minutes(30))) struct DeclaredViewTests {
  private func serve(_ bench: Bench, count: Int) throws -> HubServer {
    var state = AppFeature.State()
    state.todos.todos = IdentifiedArray(uniqueElements: (0..<count).map { Todo.State(id: $0, text: "todo \($0)") })
    state.todos.nextID = count
    let views = StateViews<AppFeature.State> {
      StateView("active", of: \.todos.todos) { todos in todos.filter { !$0.isComplete } }
      StateView("count", of: \.todos.todos, parameter: Bool.self) { todos, isComplete in
        todos.count { $0.isComplete == isComplete }
      }
      StateView("user", of: \.counter.count, for: SystemUser.self) { count, user in "\(user.id): \(count)" }
    }
    return try bench.serve(
      FeatureEngine(initialState: state, reducer: AppFeature(), views: views) { $0.continuousClock = TestClock() })
  }

  @Test func viewsAreStoresWhoseActionsAreTheFeatures() async throws {
    let bench = try Bench()
    let server = try serve(bench, count: 100)
    let client = try Client(loop: bench.loop, path: bench.path, options: ReplicaOptions(subscribesToWholeState: false))
    client.start()
    let active = ViewName<IdentifiedArrayOf<Todo.State>>("active")
    let page = client.attach(toView: active, at: { $0[window: 0..<3] }, action: { AppFeature.Action.todos($0) })
    let number = client.attach(toView: ViewName<Int>("count", true), action: { (action: AppFeature.Action) in action })
    let own = client.attach(toView: ViewName<String>("user"), action: { (action: AppFeature.Action) in action })
    let missing = client.attach(toView: ViewName<Int>("missing"), action: { (action: AppFeature.Action) in action })
    #expect(await bench.until { page.store != nil && number.store != nil && own.store != nil })
    #expect(missing.store == nil && client.refusal(of: missing)?.contains("'missing'") == true)
    let store = try #require(page.store)
    store.send(.todos(.element(id: 1, action: .completionChanged(true))))
    #expect(await bench.until { store.count == 99 && number.store?.withState { $0 } == 1 })
    #expect(store.elements.map(\.id) == [0, 2, 3])
    #expect(own.store?.withState { $0 } == "\(geteuid()): 0")
    client.move(number, toView: ViewName<Int>("count", false), at: { $0 })
    #expect(await bench.until { number.store?.withState { $0 } == 99 })
    client.move(page, toView: active, at: { $0[window: 96..<100] })
    #expect(await bench.until { store.elements.map(\.id) == [97, 98, 99] })
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }

  /// A hub lets a connection attach sixteen views.
  @Test func theSeventeenthViewIsRefusedAndTheOthersGoOn() async throws {
    let bench = try Bench()
    let server = try serve(bench, count: 100)
    let client = try Client(loop: bench.loop, path: bench.path, options: ReplicaOptions(subscribesToWholeState: false))
    client.start()
    let active = ViewName<IdentifiedArrayOf<Todo.State>>("active")
    let pages = (0..<17).map { page in
      client.attach(toView: active, at: { $0[window: page..<page + 1] }, action: { AppFeature.Action.todos($0) })
    }
    let part = client.attach(to: \.counter, action: AppFeature.Action.counter)
    #expect(await bench.until { part.store != nil && client.refusalCode(of: pages[16]) != nil })
    #expect(client.connection == .live && pages[16].store == nil && pages[..<16].allSatisfy { $0.store != nil })
    #expect(client.refusalCode(of: pages[16]) == .tooManyScopes && client.refusalCode(of: pages[15]) == nil)
    #expect(client.refusal(of: pages[16])?.contains("16 views; detach one first, or raise the limit 'views'") == true)
    let task = try #require(pages[0].store).send(.todos(.element(id: 0, action: .completionChanged(true))))
    #expect(await bench.until { task.isOver })
    #expect(pages[0].store?.elements.map(\.id) == [1])
    client.detach(pages[3])
    #expect(await bench.until { pages[16].store?.elements.map(\.id) == [17] })
    #expect(client.refusal(of: pages[16]) == nil)
    client.close()
    #expect(await bench.stop(server))
    bench.clean()
  }
}
