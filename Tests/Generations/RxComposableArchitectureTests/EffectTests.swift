import Foundation
import IssueReporting
import RxComposableArchitecture
import RxComposableTesting
import Testing

@MainActor @Suite struct EffectTests {
  struct Failure: Error, Equatable {}
  enum Action: Equatable { case start, stop, value(Int), failed }
  private final class Seen<Value> { var values: [Value] = [] }

  private struct Environment {
    var scheduler: SchedulerType
    var effect: (SchedulerType) -> Effect<Action>
    var stop: Effect<Action> = .none
  }

  private static let reducer = Reducer<[Int], Action, Environment> { state, action, environment in
    switch action {
    case .start: return environment.effect(environment.scheduler)
    case .stop: return environment.stop
    case .value(let value): state.append(value)
    case .failed: state = [-1]
    }
    return .none
  }

  private func store(
    _ scheduler: SchedulerType, stop: Effect<Action> = .none, _ effect: @escaping (SchedulerType) -> Effect<Action>
  ) -> TestStore<[Int], Action, Environment> {
    TestStore(
      initialState: [], reducer: Self.reducer,
      environment: Environment(scheduler: scheduler, effect: effect, stop: stop))
  }

  @Test func observablesAsEffects() {
    let store = store(ImmediateScheduler()) { _ in
      Observable<Int>.of(1, 2, 3).filter { $0 != 2 }.startWith(0).map(Action.value).eraseToEffect()
    }
    store.send(.start)
    for number in [0, 1, 3] { store.receive(.value(number)) { $0.append(number) } }
  }

  @Test func errorsAreActionsOrIssues() {
    let caught = store(ImmediateScheduler()) { _ in
      Observable<Int>.error(Failure()).catchToEffect { result in (try? result.get()).map(Action.value) ?? .failed }
    }
    caught.send(.start)
    caught.receive(.failed) { $0 = [-1] }
    let lost = store(ImmediateScheduler()) { _ in Effect(error: Failure()) }
    withExpectedIssue { lost.send(.start) }
  }

  @Test func debounceThrottleAndTimer() {
    let scheduler = TestScheduler(initialClock: 0)
    let debounced = store(scheduler) { Effect(value: .value(1)).debounce(id: "d", for: .seconds(1), scheduler: $0) }
    debounced.send(.start)
    scheduler.advance(by: .milliseconds(500))
    debounced.send(.start)
    scheduler.advance(by: .milliseconds(500))
    scheduler.advance(by: .milliseconds(500))
    debounced.receive(.value(1)) { $0 = [1] }

    let throttled = store(scheduler) {
      Effect(value: .value(2)).throttle(id: "t", for: .seconds(1), scheduler: $0, latest: false)
    }
    throttled.send(.start)
    scheduler.advance()
    throttled.receive(.value(2)) { $0 = [2] }
    throttled.send(.start)
    throttled.send(.start)
    scheduler.advance(by: .seconds(1))
    throttled.receive(.value(2)) { $0 = [2, 2] }

    let timer = store(scheduler, stop: .cancel(id: "timer")) {
      Effect.timer(id: "timer", every: .seconds(1), on: $0).map { Action.value($0 + 3) }
    }
    timer.send(.start)
    scheduler.advance(by: .seconds(2))
    timer.receive(.value(3)) { $0 = [3] }
    timer.receive(.value(4)) { $0 = [3, 4] }
    timer.send(.stop)
    scheduler.run()
  }

  @Test func typesAsIDs() {
    enum ID {}
    let scheduler = TestScheduler(initialClock: 0)
    let debounced = store(scheduler) { Effect(value: .value(1)).debounce(id: ID.self, for: .seconds(1), scheduler: $0) }
    debounced.send(.start)
    scheduler.advance(by: .milliseconds(500))
    debounced.send(.start)
    scheduler.advance(by: .seconds(1))
    debounced.receive(.value(1)) { $0 = [1] }
    let throttled = store(scheduler) {
      Effect(value: .value(2)).throttle(id: ID.self, for: .seconds(1), scheduler: $0, latest: true)
    }
    throttled.send(.start)
    scheduler.advance()
    throttled.receive(.value(2)) { $0 = [2] }
    throttled.send(.start)
    scheduler.advance(by: .seconds(1))
    throttled.receive(.value(2)) { $0 = [2, 2] }
  }

  @Test func formatsOfDebug() {
    let (printed, queue) = (LockIsolated<[String]>([]), DispatchQueue(label: "printer"))
    let environment: @Sendable (()) -> DebugEnvironment = { _ in
      DebugEnvironment(printer: { text in printed.withValue { $0.append(text) } }, queue: queue)
    }
    let plain = Reducer<[Int], Action, Void> { state, action, _ in
      if case .value(let value) = action { state.append(value) }
      return .none
    }
    let reducer = plain.debug("one", actionFormat: .labelsOnly, environment: environment)
      .debugActions(environment: environment)
      .debug("count", state: { $0.count }, action: /Action.value, environment: environment)
    let store = Store(initialState: [], reducer: reducer, environment: ())
    store.send(.value(7))
    store.send(.start)
    queue.sync {}
    let name = "EffectTests.Action"
    #expect(
      Set(printed.value) == [
        "one: received action:\n  Action.value\n  [\n+   [0]: 7\n  ]\n",
        "received action:\n  \(name).value(7)\n",
        "count: received action:\n  7\n- 0\n+ 1\n",
        "one: received action:\n  Action.start\n  (No state changes)\n",
        "received action:\n  \(name).start\n",
      ])
  }

  @Test func asynchronousWork() async {
    let store = store(ImmediateScheduler()) { _ in
      .concatenate(.task { .value(1) }, .run { send in await send(.value(2)) })
    }
    store.send(.start)
    await store.receive(.value(1)) { $0 = [1] }
    await store.receive(.value(2)) { $0 = [1, 2] }
  }

  @Test func subjectsAndCallbacks() {
    let subject = PublishSubject<Int>()
    let disposed = Seen<Int>()
    let store = store(ImmediateScheduler(), stop: .cancel(id: "s")) { _ in
      .merge(
        subject.map(Action.value).eraseToEffect().cancellable(id: "s"),
        .run { observer in
          observer.onNext(.value(0))
          return Disposables.create { disposed.values.append(1) }
        }.cancellable(id: "s"))
    }
    store.send(.start)
    store.receive(.value(0)) { $0 = [0] }
    subject.onNext(5)
    store.receive(.value(5)) { $0 = [0, 5] }
    store.send(.stop)
    subject.onNext(6)
    #expect(disposed.values == [1])
  }

  @Test func aClosureThatChangesNothing() {
    let store = store(ImmediateScheduler()) { _ in .none }
    withExpectedIssue { store.send(.start) { _ in } }
    let lenient = TestStore(
      initialState: [], reducer: Self.reducer,
      environment: Environment(scheduler: ImmediateScheduler(), effect: { _ in .none }),
      failingWhenNothingChange: false)
    lenient.send(.start) { _ in }
  }

  @Test func nonExhaustiveTests() {
    let store = store(ImmediateScheduler()) { _ in .merge(Effect(value: .value(1)), Effect(value: .value(2))) }
    store.exhaustivity = .off
    store.send(.start)
    store.receive(.value(2)) { $0 = [1, 2] }
  }

  @Test func workSeesTheDependenciesOfItsReducer() {
    let seen = Seen<UUID>()
    struct Feature: ReducerProtocol {
      let seen: Seen<UUID>
      func reduce(into state: inout Int, action: Bool) -> Effect<Bool> {
        .fireAndForget {
          @Dependency(\.uuid) var uuid
          seen.values.append(uuid())
        }
      }
    }
    let store = Store(initialState: 0, reducer: Feature(seen: seen).dependency(\.uuid, .constant(UUID(7))))
    store.send(true)
    #expect(seen.values == [UUID(7)])
  }

  @Test func relays() {
    let (relay, seen) = (BehaviorRelay(value: 1), Seen<Int>())
    let bag = DisposeBag()
    relay.asObservable().distinctUntilChanged().skip(1).take(2).subscribe(onNext: { seen.values.append($0) })
      .disposed(by: bag)
    for value in [1, 2, 2, 3, 4] { relay.accept(value) }
    #expect(seen.values == [2, 3] && relay.value == 4)
  }
}
