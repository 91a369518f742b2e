import ComposableArchitectureClassic
import ComposableArchitectureTestSupport
import ConcurrencyExtras
import Testing

@MainActor @Suite struct StoreTests {
  struct State: Equatable {
    var count = 0
    var child: Child?
    var name = ""
  }
  struct Child: Equatable { var text = "" }
  enum Action: Equatable { case add(Int), child(String), present(Bool), rename(String), later }

  static let reducer = Reducer<State, Action, Void> { state, action, _ in
    switch action {
    case .add(let number): state.count += number
    case .child(let text): state.child?.text = text
    case .present(let isPresented): state.child = isPresented ? Child() : nil
    case .rename(let name): state.name = name
    case .later: return Effect.task { try? await Task.sleep(nanoseconds: 1_000_000) }.map { .add(1) }
    }
    return .none
  }

  private final class Seen<Value> { var values: [Value] = [] }

  private func store() -> Store<State, Action> { Store(initialState: State(), reducer: Self.reducer, environment: ()) }

  @Test func aViewStoreSeesNoDuplicates() {
    let viewStore = ViewStore(store())
    let (states, counts) = (Seen<State>(), Seen<Int>())
    var cancellables: Set<AnyCancellable> = []
    viewStore.publisher.sink { states.values.append($0) }.store(in: &cancellables)
    viewStore.publisher.count.sink { counts.values.append($0) }.store(in: &cancellables)
    viewStore.send(.add(0))
    viewStore.send(.add(2))
    viewStore.send(.rename("Blob"))
    #expect(states.values.map(\.count) == [0, 2, 2])
    #expect(counts.values == [0, 2])
    #expect(viewStore.count == 2 && viewStore.state.name == "Blob")
    cancellables = []
    viewStore.send(.add(1))
    #expect(counts.values == [0, 2])
  }

  @Test func scopes() {
    let store = store()
    let scoped = store.scope(state: \.count, action: Action.add)
    let view = ViewStore(scoped)
    view.send(3)
    #expect(view.state == 3 && ViewStore(store).count == 3)
    ViewStore(store.stateless).send(.add(1))
    #expect(ViewStore(store.actionless).count == 4)
    #expect(ViewStore(store.scope(state: { $0.count * 2 })).state == 8)
  }

  @Test func observersMaySend() {
    let viewStore = ViewStore(store())
    let cancellable = viewStore.publisher.count.sink { if $0 > 0, $0 < 5 { viewStore.send(.add(1)) } }
    viewStore.send(.add(1))
    #expect(viewStore.count == 5)
    cancellable.cancel()
  }

  @Test func ifLetFollowsAnOptionalState() {
    let store = store()
    let seen = Seen<String>()
    let children = Seen<Store<Child, String>>()
    let cancellable = store.scope(state: \.child, action: Action.child).ifLet(
      then: {
        seen.values.append("then")
        children.values.append($0)
      }, else: { seen.values.append("else") })
    store.send(.present(true))
    children.values[0].send("Hello")
    #expect(store.state.child?.text == "Hello")
    store.send(.present(false))
    #expect(children.values[0].state.text == "Hello")
    store.send(.present(true))
    #expect(seen.values == ["else", "then", "else", "then"])
    cancellable.cancel()
    store.send(.present(false))
    #expect(seen.values.count == 4)
  }

  @Test func bindings() {
    let viewStore = ViewStore(store())
    let name = viewStore.binding(get: \.name, send: Action.rename)
    name.wrappedValue = "Blob"
    #expect(viewStore.name == "Blob" && name.wrappedValue == "Blob")
    let isPresented = viewStore.binding(get: { $0.child != nil }, send: .present(true))
    isPresented.wrappedValue = true
    #expect(viewStore.child != nil)
  }

  @Test func aViewStoreSendsAndWaits() async {
    let viewStore = ViewStore(store())
    await viewStore.send(.later, while: { $0.count == 0 })
    #expect(viewStore.count == 1)
  }

  @Test func publisherScopes() {
    let store = store()
    let seen = Seen<Int>()
    var cancellables: Set<AnyCancellable> = []
    store.publisherScope(state: { $0.map(\.count).removeDuplicates() }, action: Action.add)
      .sink { (child: Store<Int, Int>) in seen.values.append(child.state) }
      .store(in: &cancellables)
    store.send(.add(1))
    #expect(seen.values == [0, 1])
  }

  struct Form: Equatable {
    @BindableState var name = ""
    var age = 0
  }
  enum FormAction: BindableAction, Equatable { case binding(BindingAction<Form>) }

  @Test func bindableFields() {
    let reducer = Reducer<Form, FormAction, Void> { state, action, _ in
      switch action {
      case .binding(\.$name): state.name = String(state.name.prefix(4))
      case .binding: break
      }
      return .none
    }
    .binding()
    let viewStore = ViewStore(Store(initialState: Form(), reducer: reducer, environment: ()))
    viewStore.binding(\.$name).wrappedValue = "Blobby"
    #expect(viewStore.name == "Blob" && viewStore.$name.wrappedValue == "Blob")
    viewStore.$name.wrappedValue = "B"
    viewStore.send(.set(\.$name, "\(viewStore.name)!"))
    #expect(viewStore.name == "B!")
    viewStore.binding(keyPath: \.age, send: FormAction.binding).wrappedValue = 3
    #expect(viewStore.age == 3)
  }

  @Test func aPartOfAStore() {
    let store = store()
    let viewStore = ViewStore(store, observe: \.count, send: Action.add)
    let counts = Seen<Int>()
    let cancellable = viewStore.publisher.sink { counts.values.append($0) }
    viewStore.send(2)
    store.send(.rename("Blob"))
    #expect(viewStore.state == 2 && counts.values == [0, 2])
    #expect(ViewStore(store, observe: \.name).state == "Blob")
    cancellable.cancel()
  }

  @Test func aCancelledWaitCancelsWhatTheActionSetGoing() async {
    let isOver = LockIsolated(false)
    let reducer = Reducer<Int, Bool, Void> { _, _, _ in
      Effect.run { _ in AnyCancellable { isOver.setValue(true) } }
    }
    let viewStore = ViewStore(Store(initialState: 0, reducer: reducer, environment: ()))
    let task = Task { await viewStore.send(true, while: { _ in true }) }
    await Task.yield()
    task.cancel()
    await task.value
    while !isOver.value { await Task.yield() }
    #expect(viewStore.state == 0)
  }

  @Test func aReducerMaySendToAStreamOfAnEffect() {
    let subject = PassthroughSubject<Int, Never>()
    let reducer = Reducer<[Int], Int, Void> { state, action, _ in
      state.append(action)
      switch action {
      case 0: return subject.eraseToEffect()
      case 1:
        subject.send(10)
        subject.send(11)
        return .none
      case 2:
        subject.send(completion: .finished)
        return .none
      default: return .none
      }
    }
    let store = Store(initialState: [], reducer: reducer, environment: ())
    let task = store.send(0)
    store.send(1)
    #expect(store.state == [0, 1, 10, 11])
    store.send(2)
    #expect(task.isOver && store.state == [0, 1, 10, 11, 2])
  }
}
