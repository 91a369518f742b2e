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
@Suite(.serialized, .timeLimit(.minutes(10))) struct DeclaredViewTests {
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
}
