import Foundation
import RxComposableArchitecture
import RxComposableTesting
import Testing

@MainActor @Suite struct StoreTests {
  struct Item: Equatable, Identifiable, Hashable {
    var id: Int
    var isSelected = false
  }
  struct State: Equatable {
    var count = 0
    var items: IdentifiedArrayOf<Item> = [Item(id: 1), Item(id: 2)]
    var child: Int?
    @NeverEqual var toast: String?
  }
  enum Action: Equatable { case add(Int), select(Int), toast(String), child(Int?), remove(Int) }

  nonisolated static let reducer = Reducer<State, Action, Void> { state, action, _ in
    switch action {
    case .add(let number): state.count += number
    case .select(let id): state.items[id: id]?.isSelected = true
    case .toast(let text): state.toast = text
    case .child(let child): state.child = child
    case .remove(let id): state.items.remove(id: id)
    }
    return .none
  }

  private final class Seen<Value> { var values: [Value] = [] }

  private func store() -> Store<State, Action> { Store(initialState: State(), reducer: Self.reducer, environment: ()) }

  @Test func aPropertyIsSubscribedToWithoutDuplicates() {
    let (store, counts, texts, all) = (store(), Seen<Int>(), Seen<String>(), Seen<State>())
    var bag: DisposeBag? = DisposeBag()
    store.subscribe(\.count).subscribe(onNext: { counts.values.append($0) }).disposed(by: bag!)
    store.subscribe { $0.count / 10 }.map { "\($0)" }.subscribe(onNext: { texts.values.append($0) }).disposed(by: bag!)
    store.subscribe().subscribe(onNext: { all.values.append($0) }).disposed(by: bag!)
    store.send(.add(1))
    store.send(.add(0))
    store.send(.add(9))
    #expect(counts.values == [0, 1, 10] && texts.values == ["0", "1"] && all.values.count == 3)
    bag = nil
    store.send(.add(1))
    #expect(counts.values.count == 3)
    #expect(store.state.count == 11)
  }

  @Test func anEventIsSeenEachTimeItIsSet() {
    let (store, toasts) = (store(), Seen<String?>())
    let bag = DisposeBag()
    store.subscribeNeverEqual(\.$toast).subscribe(onNext: { toasts.values.append($0) }).disposed(by: bag)
    store.send(.toast("Saved"))
    store.send(.add(1))
    store.send(.toast("Saved"))
    #expect(toasts.values == [nil, "Saved", "Saved"])
  }

  @Test func anEventDiffersAlsoAfter256Settings() {
    var event = NeverEqual(wrappedValue: 0)
    let start = event
    for _ in 0..<256 { event.wrappedValue = 0 }
    #expect(event != start)
  }

  @Test func theStoreOfAnElement() throws {
    let store = store()
    let element = try #require(
      store.scope(state: \.items, action: { $0 }).scope(at: 2, action: { (_: Void) in Action.select(2) }))
    element.send(())
    #expect(element.state.isSelected && store.state.items[id: 2]?.isSelected == true)
    store.send(.remove(2))
    #expect(element.state == Item(id: 2, isSelected: true))
    #expect(store.scope(state: \.items).scope(at: 9, action: { (action: Action) in action }) == nil)
  }

  @Test func ifLetFollowsAnOptionalState() {
    let (store, seen) = (store(), Seen<String>())
    let subscription = store.scope(state: \.child, action: Action.child)
      .ifLet(then: { seen.values.append("then \($0.state)") }, else: { seen.values.append("else") })
    store.send(.child(1))
    store.send(.child(2))
    store.send(.child(nil))
    store.send(.child(3))
    #expect(seen.values == ["else", "then 1", "else", "then 3"])
    subscription.dispose()
  }

  @Test func aReducerOfTheProtocolsGeneration() {
    struct Counter: ReducerProtocol {
      struct State: Equatable { var count = 0 }
      enum Action: Equatable { case increment, load, loaded(Int) }
      @Dependency(\.rxMainQueue) var queue

      var body: some ReducerProtocolOf<Self> {
        Reduce { state, action in
          switch action {
          case .increment: state.count += 1
          case .loaded(let count): state.count = count
          case .load: return Effect(value: .loaded(7)).deferred(for: .seconds(1), scheduler: queue)
          }
          return .none
        }
      }
    }
    let scheduler = TestScheduler(initialClock: 0)
    let store = TestStore(initialState: Counter.State(), reducer: Counter()) { $0.rxMainQueue = scheduler }
    store.send(.increment) { $0.count = 1 }
    store.send(.load)
    scheduler.advance(by: .seconds(1))
    store.receive(.loaded(7)) { $0.count = 7 }

    // Each generation nested in the other.
    let older = AnyReducer<Counter.State, Counter.Action, Void> { (_: Void) in Counter() }
    let inBoth = Store(initialState: Counter.State(), reducer: Reduce(older, environment: ()))
    inBoth.send(.increment)
    #expect(inBoth.state.count == 1)
  }

  @Test func mocksOfARunningFeature() {
    struct Environment { var fetch: () -> Effect<Int> }
    let reducer = Reducer<Int, Int, Environment> { state, action, environment in
      state = action
      return action == 0 ? environment.fetch() : .none
    }
    let store = Store(initialState: 0, reducer: reducer, environment: Environment(fetch: { Effect(value: 1) }))
    store.send(0)
    #expect(store.state == 1)
    Bootstrap.mock(environment: Environment(fetch: { Effect(value: 2) }))
    store.send(0)
    #expect(store.state == 2)
    Bootstrap.clear(environment: Environment.self)
    store.send(0)
    #expect(store.state == 1)
  }

  @Test func mocksOfDependencies() {
    struct GetNumber: ReducerProtocol {
      typealias State = Int
      typealias Action = Void
      @Dependency(\.uuid) private var uuid

      func reduce(into state: inout Int, action: Void) -> Effect<Void> {
        state = uuid().uuid.15 == 9 ? 2 : 1
        return .none
      }
    }
    Bootstrap.mock(for: GetNumber()) { $0.dependency(\.uuid, .init { UUID(9) }) }
    let store = Store(initialState: 0, reducer: GetNumber())
    store.send(())
    #expect(store.state == 2)
    Bootstrap.clear(for: GetNumber.self)
  }
}
