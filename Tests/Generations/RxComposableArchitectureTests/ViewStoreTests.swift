import IssueReporting
import RxComposableArchitecture
import RxComposableTesting
import Testing

@MainActor @Suite(.serialized) struct ViewStoreTests {
  struct State: Equatable {
    var count = 0
    var name = ""
  }
  enum Action: Equatable { case increment, rename(String), later }

  static let reducer = Reducer<State, Action, Void> { state, action, _ in
    switch action {
    case .increment: state.count += 1
    case .rename(let name): state.name = name
    case .later: return .task { .increment }
    }
    return .none
  }

  private final class Seen<Value> { var values: [Value] = [] }
  private let disposeBag = DisposeBag()

  private func store() -> Store<State, Action> { Store(initialState: State(), reducer: Self.reducer, environment: ()) }

  @Test func aViewSeesItsPartWithoutDuplicates() {
    let store = store()
    let viewStore = ViewStore(store, observe: { $0 })
    let (states, counts, names) = (Seen<State>(), Seen<Int>(), Seen<String>())
    viewStore.observable.subscribe(onNext: { states.values.append($0) }).disposed(by: disposeBag)
    viewStore.publisher.count.subscribe(onNext: { counts.values.append($0) }).disposed(by: disposeBag)
    viewStore.publisher.name.map { "\($0)!" }.asDriver(onErrorJustReturn: "")
      .drive(onNext: { names.values.append($0) }).disposed(by: disposeBag)
    viewStore.send(.increment)
    viewStore.send(.rename(""))
    viewStore.send(.rename("Blob"), animation: .default)
    #expect(states.values.count == 3 && counts.values == [0, 1] && names.values == ["!", "Blob!"])
    #expect(viewStore.count == 1 && viewStore.state.name == "Blob")

    let name = ViewStore(store, observe: \.name, send: Action.rename)
    name.send("Blob Jr.")
    #expect(name.state == "Blob Jr." && viewStore.name == "Blob Jr.")
    ViewStore(store.stateless).send(.increment)
    #expect(ViewStore(store).count == 2)
    #expect(ViewStore(store, removeDuplicates: { _, _ in true }).count == 2)
  }

  @Test func bindingsAndWaiting() async {
    let viewStore = ViewStore(store())
    viewStore.binding(get: \.name, send: Action.rename).wrappedValue = "Blob"
    viewStore.binding(get: \.count, send: .increment).wrappedValue = 9
    #expect(viewStore.state == State(count: 1, name: "Blob"))
    await viewStore.send(.later, while: { $0.count == 1 })
    #expect(viewStore.count == 2)
    await viewStore.yield(while: { $0.count < 2 })
  }

  @Test func aSubscriptionGoesOnIfNobodyKeepsIt() {
    let store = store()
    let counts = Seen<Int>()
    _ = store.subscribe(\.count).subscribe(onNext: { counts.values.append($0) })
    store.scope(state: \.count).subscribe { $0 }.subscribe(onNext: { counts.values.append(-$0) })
    store.send(.increment)
    #expect(counts.values == [0, 0, 1, -1])
  }

  @Test func instrumentation() {
    let seen = Seen<String>()
    let instrumentation = Instrumentation(
      callback: { info, timing, kind in
        seen.values.append("\(timing) \(kind)\(info.action.map { " \($0)" } ?? "")")
      },
      viewStoreCreated: { instance, _, _ in seen.values.append("\(type(of: instance))") })
    let store = store()
    store.send(.increment, instrumentation: instrumentation)
    let send = ["storeSend", "storeProcessEvent", "storeChangeState"]
    #expect(
      seen.values == send.map { "pre \($0) increment" } + send.reversed().map { "post \($0) increment" })

    seen.values = []
    store.subscribe(\.count, instrumentation: instrumentation).subscribe(onNext: { _ in }).disposed(by: disposeBag)
    store.send(.increment, originatingFrom: .later)
    let change = ["pre viewStoreChangeState", "post viewStoreChangeState"]
    #expect(seen.values == change + change + ["pre viewStoreDeduplicate", "post viewStoreDeduplicate"])

    seen.values = []
    let viewStore = ViewStore(store, observe: \.count, instrumentation: instrumentation)
    #expect(seen.values.first == "ViewStore<Int, Action>")
    viewStore.send(.increment)
    #expect(seen.values.contains("pre viewStoreSend increment"))
    _ = store.scope(state: \.name, instrumentation: instrumentation).state
    #expect(seen.values.contains("pre storeToLocal"))
  }

  @Test func theSharedInstrumentation() {
    let seen = Seen<Instrumentation.CallbackKind>()
    Instrumentation.shared = Instrumentation(callback: { info, timing, kind in
      if timing == .pre, info.action as? Action == .increment { seen.values.append(kind) }
    })
    defer { Instrumentation.shared = .noop }
    store().send(.increment)
    #expect(seen.values == [.storeSend, .storeProcessEvent, .storeChangeState])
  }
}
