import ComposableArchitectureClassic
import ComposableArchitectureTestSupport
import ConcurrencyExtras
import Foundation
import IssueReporting
import Testing

/// Effects as streams, subscribed to directly and run by stores.
@MainActor @Suite struct EffectTests {
  struct Failure: Error, Equatable {}

  /// The values of an effect that ends immediately, and its completion.
  private func events<Output, E: Error>(_ effect: some Publisher<Output, E>) -> (values: [Output], end: String?) {
    let events = Events<Output>()
    let cancellable = effect.sink(
      receiveCompletion: { events.end = "\($0)" }, receiveValue: { events.values.append($0) })
    defer { cancellable.cancel() }
    return (events.values, events.end)
  }

  private final class Events<Output> {
    var values: [Output] = []
    var end: String?
  }

  @Test func constructors() {
    #expect(events(Effect<Int, Never>(value: 1)) == ([1], "finished"))
    #expect(events(Effect<Int, Failure>(error: Failure())).end?.hasPrefix("failure") == true)
    #expect(events(Effect<Int, Failure>.none) == ([], "finished"))
    #expect(events(Effect<Int, Failure>.future { $0(.success(2)) }) == ([2], "finished"))
    #expect(events(Effect<Int, Failure>.result { .failure(Failure()) }).end?.hasPrefix("failure") == true)
    #expect(events(Effect<Int, any Error>.catching { throw Failure() }).end?.hasPrefix("failure") == true)
    #expect(events(Effect<Int, Never>.sync { 3 }) == ([3], "finished"))
    #expect(events(Effect<Int, Never>.fireAndForget {}) == ([], "finished"))
    let many = Effect<Int, Never>.run { subscriber in
      for value in 1...3 { subscriber.send(value) }
      subscriber.send(completion: .finished)
      subscriber.send(4)
      return AnyCancellable {}
    }
    #expect(events(many) == ([1, 2, 3], "finished"))
  }

  @Test func nothingRunsBeforeASubscription() {
    let count = Events<Int>()
    let effect = Effect<Int, Never>.future {
      count.values.append(1)
      $0(.success(count.values.count))
    }
    #expect(count.values.isEmpty)
    #expect(events(effect).values == [1])
    #expect(events(effect).values == [2])
  }

  @Test func operators() {
    let numbers = [1, 2, 3, 4].publisher
    #expect(events(numbers.map { $0 * 2 }).values == [2, 4, 6, 8])
    #expect(events(numbers.filter { $0 % 2 == 0 }).values == [2, 4])
    #expect(events(numbers.flatMap { [$0, $0 * 10].publisher }).values == [1, 10, 2, 20, 3, 30, 4, 40])
    #expect(events(numbers.prefix(2)) == ([1, 2], "finished"))
    #expect(events(numbers.scan(0, +)).values == [1, 3, 6, 10])
    #expect(events(numbers.collect()).values == [[1, 2, 3, 4]])
    #expect(events(numbers.dropFirst(3)).values == [4])
    #expect(events(numbers.prepend(0).append(Just(5))).values == [0, 1, 2, 3, 4, 5])
    #expect(events([1, 1, 2, 1].publisher.removeDuplicates()).values == [1, 2, 1])
    #expect(events(numbers.tryMap { if $0 == 3 { throw Failure() } else { $0 } }).values == [1, 2])
    #expect(events(Fail<Int, Failure>(error: Failure()).replaceError(with: 9)).values == [9])
    #expect(events(Fail<Int, Failure>(error: Failure()).catch { _ in Just(8) }).values == [8])
    #expect(events(Just(1).combineLatest(Just(2))).values.map { $0.0 + $0.1 } == [3])
    #expect(events(numbers.zip(Just(5)) { $0 + $1 }) == ([6], "finished"))
    #expect(events(Publishers.Zip([1, 2].publisher, numbers)).values.map { $0.0 * $0.1 } == [1, 4])
    #expect(events(Publishers.Merge(Just(1), Just(2))).values == [1, 2])
    #expect(events(Publishers.MergeMany(Just(1), Just(2), Just(3))).values == [1, 2, 3])
    #expect(events(Publishers.CombineLatest(Just(1), numbers)).values.map { $0.0 + $0.1 } == [2, 3, 4, 5])
    #expect(events(Just(0).merge(with: Just(1), Just(2))).values == [0, 1, 2])
    #expect(events(numbers.map { [$0, $0].publisher }.switchToLatest()).values == [1, 1, 2, 2, 3, 3, 4, 4])
    #expect(events(numbers.last()).values == [4] && events(numbers.first { $0 > 2 }).values == [3])
    #expect(events(numbers.prefix { $0 < 3 }) == ([1, 2], "finished"))
    #expect(events(numbers.drop { $0 < 3 }).values == [3, 4])
    #expect(events(numbers.reduce(0, +)).values == [10])
    #expect(events(numbers.contains(3)) == ([true], "finished"))
    #expect(events(numbers.allSatisfy { $0 < 3 }) == ([false], "finished"))
    #expect(events(Empty<Int, Never>().replaceEmpty(with: 1)).values == [1])
    #expect(events([1, nil].publisher.replaceNil(with: 2)).values == [1, 2])
    #expect(events(numbers.append(5, 6).prepend([0])).values == [0, 1, 2, 3, 4, 5, 6])
    #expect(events(numbers.tryFilter { if $0 == 3 { throw Failure() } else { $0 > 1 } }).values == [2])
    #expect(events(Fail<Int, Failure>(error: Failure()).tryCatch { _ in Just(7) }).values == [7])
    #expect(events(Just(Data("[1]".utf8)).decode(type: [Int].self, decoder: JSONDecoder())).values == [[1]])
    #expect(events(Effect<Int, Failure>(error: Failure()).catchToEffect()).values == [.failure(Failure())])
    #expect(events(Effect<Int, Failure>(value: 1).catchToEffect { "\($0)" }).values == ["success(1)"])
    #expect(events(Just(1).eraseToEffect { $0 + 1 }).values == [2])
    #expect(events(Just(1).fireAndForget(outputType: Int.self, failureType: Never.self)) == ([], "finished"))
  }

  @Test func operatorsOnSeveralStreams() {
    let latest = Just(1).combineLatest(Just("2"), Just(3)).map { "\($0)" }
    #expect(events(latest).values == [#"(1, "2", 3)"#])
    let joined = Just(1).combineLatest(Just("2"), Just(3)) { "\($0)\($1)\($2)" }
    #expect(events(joined).values == ["123"])
    let four = Just(1).combineLatest(Just("2"), Just(3), Just(true)).map { "\($0)" }
    #expect(events(four).values == [#"(1, "2", 3, true)"#])
    let zipped = [1, 2].publisher.zip(["3", "4"].publisher, [5, 6].publisher) { "\($0)\($1)\($2)" }
    #expect(events(zipped).values == ["135", "246"])
    let zippedFour = Just(1).zip(Just("2"), Just(3), Just(true)).map { "\($0)" }
    #expect(events(zippedFour).values == [#"(1, "2", 3, true)"#])
    #expect(events((1...5).publisher.collect(2)) == ([[1, 2], [3, 4], [5]], "finished"))
    #expect(events((1...5).publisher.output(at: 2)).values == [3])
    #expect(events(Int?.none.publisher) == ([], "finished") && events(Int?(3).publisher).values == [3])
  }

  @Test func aNumberOfStreamsRunAtTheSameTime() {
    let subjects = (0..<3).map { _ in PassthroughSubject<Int, Never>() }
    let log = Events<Int>()
    let cancellable = (0..<3).publisher.flatMap(maxPublishers: .max(2)) { subjects[$0] }.sink {
      log.end = "\($0)"
    } receiveValue: {
      log.values.append($0)
    }
    for (index, subject) in subjects.enumerated() { subject.send(index) }
    #expect(log.values == [0, 1])
    subjects[0].send(completion: .finished)
    subjects[2].send(2)
    #expect(log.values == [0, 1, 2])
    for subject in subjects { subject.send(completion: .finished) }
    #expect(log.end == "finished")

    let gate = PassthroughSubject<Int, Never>()
    var received = 0
    let many = (0..<10_000).publisher.flatMap(maxPublishers: .max(1)) { number in
      number == 0 ? gate.eraseToAnyPublisher() : Just(number).eraseToAnyPublisher()
    }
    .sink { _ in received += 1 }
    gate.send(completion: .finished)
    #expect(received == 9_999)
    withExtendedLifetime((cancellable, many)) {}
  }

  /// The parts of a stream may run on several threads.
  @Test func partsDeliverOneAtATime() {
    let (subjects, count) = ((0..<2).map { _ in PassthroughSubject<Int, Never>() }, 20_000)
    var (zipped, latest, merged, flat, switched) = (0, 0, 0, 0, 0)
    let cancellables = [
      subjects[0].zip(subjects[1]).sink { _ in zipped += 1 },
      subjects[0].combineLatest(subjects[1]).sink { _ in latest += 1 },
      subjects[0].merge(with: subjects[1]).sink { _ in merged += 1 },
      subjects.publisher.flatMap { $0 }.sink { _ in flat += 1 },
      subjects[0].map { _ in subjects[1] }.switchToLatest().sink { _ in switched += 1 },
    ]
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      for number in 0..<count { subjects[index].send(number) }
    }
    #expect(zipped == count && merged == 2 * count && flat == 2 * count)
    #expect(latest < 2 * count && switched <= count)
    withExtendedLifetime(cancellables) {}
  }

  @Test(.timeLimit(.minutes(30))) func aNumberOfStreamsRunOnSeveralThreads() async {
    let count = 5000
    let received = await withCheckedContinuation { (continuation: CheckedContinuation<Int, Never>) in
      var (received, cancellable): (Int, AnyCancellable?) = (0, nil)
      cancellable = (0..<count).publisher
        .flatMap(maxPublishers: .max(4)) { number in
          // The promise is fulfilled before, while or after the future is subscribed to.
          Future { promise in DispatchQueue.global().async { promise(.success(number)) } }
        }
        .sink { _ in
          cancellable = nil
          continuation.resume(returning: received)
        } receiveValue: { _ in
          received += 1
        }
      _ = cancellable
    }
    #expect(received == count)
  }

  @Test func aCurrentValueIsReleasedWhenItIsReplaced() {
    final class Connection: Sendable {}
    var connection: Connection? = Connection()
    let subject = CurrentValueSubject<Connection?, Never>(connection)
    weak let reference = connection
    connection = nil
    #expect(reference != nil)
    subject.value = nil
    #expect(reference == nil)
  }

  @Test(.timeLimit(.minutes(30))) func schedulersAndTimersOfFoundation() async {
    let dates = Timer.publish(every: 0.001, on: .main, in: .common).autoconnect()
    var cancellable: AnyCancellable?
    let times = await withCheckedContinuation { continuation in
      cancellable = dates.scan(0) { count, _ in count + 1 }.first { $0 == 2 }.sink {
        continuation.resume(returning: $0)
      }
    }
    #expect(times == 2)
    let onLoop = await withCheckedContinuation { continuation in
      cancellable = Just(1).receive(on: DispatchQueue.main).sink { continuation.resume(returning: $0) }
    }
    #expect(onLoop == 1)
    let scheduler: AnySchedulerOf<RunLoop> = RunLoop.main.eraseToAnyScheduler()
    _ = Just(1).receive(on: scheduler).delay(for: 1, scheduler: RunLoop.main)
    withExtendedLifetime(cancellable) {}
  }

  @Test func aStreamOfTheFirstValuesTakesNoneThatItsObserverCauses() {
    let subject = PassthroughSubject<Int, Never>()
    for (stream, expected) in [(subject.first(), [1]), (subject.first { $0 > 0 }, [1]), (subject.prefix(2), [1, 2])] {
      let (values, ends) = (Events<Int>(), Events<String>())
      let cancellable = stream.sink {
        ends.values.append("\($0)")
      } receiveValue: {
        values.values.append($0)
        if $0 < 5 { subject.send($0 + 1) }
      }
      subject.send(1)
      #expect(values.values == expected)
      #expect(ends.values == ["finished"])
      cancellable.cancel()
    }
  }

  @Test func operatorsOverTime() {
    let queue = DispatchQueue.testScheduler
    let (subject, stop) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Void, Never>())
    let (latest, first, silent, until) = (Events<Int>(), Events<Int>(), Events<Int>(), Events<Int>())
    let cancellables = [
      subject.throttle(for: 1, scheduler: queue, latest: true).sink { latest.values.append($0) },
      subject.throttle(for: 1, scheduler: queue, latest: false).sink { first.values.append($0) },
      subject.timeout(2, scheduler: queue).sink {
        silent.end = "\($0)"
      } receiveValue: {
        silent.values.append($0)
      },
      subject.prefix(untilOutputFrom: stop).sink { until.values.append($0) },
    ]
    for value in 1...3 { subject.send(value) }
    #expect(latest.values == [1] && first.values == [1])
    queue.advance(by: 1)
    #expect(latest.values == [1, 3] && first.values == [1, 2])
    stop.send()
    subject.send(4)
    #expect(silent.end == nil && until.values == [1, 2, 3])
    queue.advance(by: 2)
    #expect(silent.end == "finished" && silent.values == [1, 2, 3, 4])
    _ = cancellables
  }

  @Test func aSharedStreamIsSubscribedToOnce() {
    let (begun, values) = (Events<Int>(), Events<Int>())
    let subject = PassthroughSubject<Int, Never>()
    let shared = subject.handleEvents(
      receiveSubscription: { begun.values.append(1) }, receiveCancel: { begun.values.append(-1) }
    ).share()
    let cancellables = [
      shared.sink { values.values.append($0) }, shared.sink { values.values.append($0 * 10) },
    ]
    subject.send(1)
    cancellables[0].cancel()
    subject.send(2)
    #expect(values.values == [1, 10, 20] && begun.values == [1])
    cancellables[1].cancel()
    #expect(begun.values == [1, -1])
  }

  @Test func notificationsAreAStream() {
    let (center, name) = (NotificationCenter(), Notification.Name("EffectTests"))
    let names = Events<String>()
    let cancellable = center.publisher(for: name).sink { names.values.append($0.name.rawValue) }
    center.post(name: name, object: nil)
    cancellable.cancel()
    center.post(name: name, object: nil)
    #expect(names.values == ["EffectTests"])
  }

  @Test func aTypeAndAnEquivalentValueAreOneID() async {
    enum ID {}
    let reducer = Reducer<Int, Int, Void> { state, action, _ in
      switch action {
      case 0:
        return .task {
          try? await withTaskCancellation(id: ID.self) { try await Task.sleep(nanoseconds: 1_000_000_000_000) }
          return 1
        }
      case 2: return .cancel(id: ObjectIdentifier(ID.self))
      default: state += action
      }
      return .none
    }
    let store = Store(initialState: 0, reducer: reducer, environment: ())
    let task = store.send(0)
    for _ in 0..<20 { await Task.yield() }
    while store.state == 0 {
      store.send(2)
      try? await Task.sleep(nanoseconds: 1_000_000)
    }
    await task.finish()
    #expect(store.state == 1)
  }

  @Test func concatenationWaitsAndMergingDoesNot() {
    let queue = DispatchQueue.testScheduler
    func later(_ value: Int, _ seconds: Int) -> Effect<Int, Failure> {
      Effect(value: value).delay(for: .seconds(seconds), scheduler: queue).eraseToEffect()
    }
    let (one, both) = (Events<Int>(), Events<Int>())
    let cancellables = [
      Effect.concatenate(later(1, 2), later(2, 1)).sink { _ in
      } receiveValue: {
        one.values.append($0)
      },
      Effect.merge(later(1, 2), later(2, 1)).sink { _ in
      } receiveValue: {
        both.values.append($0)
      },
    ]
    queue.advance(by: 2)
    #expect(one.values == [1] && both.values == [2, 1])
    queue.advance(by: 1)
    #expect(one.values == [1, 2])
    #expect(
      events(Effect.concatenate(Effect<Int, Failure>(value: 1), Effect(error: Failure()), Effect(value: 2))).values == [
        1
      ])
    _ = cancellables
  }

  @Test func cancellationByIDOutsideAStore() {
    struct ID: Hashable {}
    let subject = PassthroughSubject<Int, Never>()
    let events = Events<Int>()
    let cancellable = Effect(subject).cancellable(id: ID()).map { $0 + 1 }
      .sink(receiveCompletion: { events.end = "\($0)" }, receiveValue: { events.values.append($0) })
    subject.send(1)
    let cancelling = Effect<Never, Never>.cancel(id: ID()).sink { _ in }
    subject.send(2)
    #expect(events.values == [2] && events.end == "finished")
    cancelling.cancel()
    cancellable.cancel()
  }

  enum Action: Equatable { case start, stop, value(Int), failed }

  /// A store with an effect that the test provides.
  private func store(
    _ effect: @escaping (AnySchedulerOf<DispatchQueue>) -> Effect<Action, Never>, queue: AnySchedulerOf<DispatchQueue>,
    stop: Effect<Action, Never> = .none
  ) -> TestStore<[Int], [Int], Action, Action, Void> {
    let effects = UncheckedSendable((effect, stop, queue))
    let reducer = Reducer<[Int], Action, Void> { state, action, _ in
      switch action {
      case .start: return effects.value.0(effects.value.2)
      case .stop: return effects.value.1
      case .value(let value): state.append(value)
      case .failed: state = []
      }
      return .none
    }
    return TestStore(initialState: [], reducer: reducer, environment: ())
  }

  @Test func debounceInAStore() {
    struct ID: Hashable {}
    let queue = DispatchQueue.testScheduler
    let store = store(
      { Effect(value: .value(1)).debounce(id: ID(), for: 1, scheduler: $0) }, queue: queue.eraseToAnyScheduler())
    store.assert(
      .send(.start),
      .do { queue.advance(by: .milliseconds(900)) },
      .send(.start),
      .do { queue.advance(by: .milliseconds(900)) },
      .do { queue.advance(by: .milliseconds(100)) },
      .receive(.value(1)) { $0 = [1] })
  }

  @Test func throttleInAStore() {
    struct ID: Hashable {}
    let (queue, counter) = (DispatchQueue.testScheduler, Events<Int>())
    let store = store(
      { scheduler in
        counter.values.append(counter.values.count)
        return Effect(value: .value(counter.values.count))
          .throttle(id: ID(), for: 1, scheduler: scheduler, latest: true)
      }, queue: queue.eraseToAnyScheduler())
    store.assert(
      .send(.start),
      .do { queue.advance() },
      .receive(.value(1)) { $0 = [1] },
      .send(.start),
      .send(.start),
      .do { queue.advance(by: .milliseconds(500)) },
      .do { queue.advance(by: .milliseconds(500)) },
      .receive(.value(3)) { $0 = [1, 3] })
  }

  @Test func timersRunUntilTheyAreCancelled() {
    struct ID: Hashable {}
    let queue = DispatchQueue.testScheduler
    let store = store(
      { Effect.timer(id: ID(), every: 1, on: $0).map { _ in .value(0) } }, queue: queue.eraseToAnyScheduler(),
      stop: .cancel(id: ID()))
    store.assert(
      .send(.start),
      .do { queue.advance(by: 2) },
      .receive(.value(0)) { $0 = [0] },
      .receive(.value(0)) { $0 = [0, 0] },
      .send(.stop),
      .do { queue.run() })
  }

  @Test func anEffectThatIsCancelledInTheMiddleOfAStreamEnds() {
    struct ID: Hashable {}
    let subject = PassthroughSubject<Int, Failure>()
    let queue = DispatchQueue.testScheduler
    let store = store(
      {
        Effect(subject).cancellable(id: ID()).receive(on: $0).catchToEffect().map {
          (try? $0.get()).map(Action.value) ?? .failed
        }
      },
      queue: queue.eraseToAnyScheduler(), stop: .cancel(id: ID()))
    store.assert(
      .send(.start),
      .do { subject.send(1) },
      .do { queue.advance() },
      .receive(.value(1)) { $0 = [1] },
      .send(.stop),
      .do { subject.send(2) },
      .do { queue.advance() })
  }

  @Test func aCancelledEffectOfTheSameTurnDoesNotBegin() {
    struct ID: Hashable {}
    let begun = Events<Int>()
    let store = store(
      { _ in
        .merge(
          .fireAndForget { begun.values.append(1) },
          Effect.result { .success(.stop) },
          Effect.fireAndForget { begun.values.append(2) }.cancellable(id: ID()))
      }, queue: .immediate, stop: .cancel(id: ID()))
    store.assert(.send(.start), .receive(.stop))
    #expect(begun.values == [1])
  }

  @Test func longChainsOfStreamsDoNotGrowTheStack() {
    let reducer = Reducer<Int, Int, Void> { state, action, _ in
      state += 1
      return action == 0 ? .none : Effect.result { .success(action - 1) }
    }
    let store = Store(initialState: 0, reducer: reducer, environment: ())
    store.send(100_000)
    #expect(store.state == 100_001)
  }

  @Test func valuesOfOtherThreadsAreReducedOnTheMainThread() async {
    let reducer = Reducer<[Int], Int, Void> { state, action, _ in
      state.append(action)
      guard action == 0 else { return .none }
      return Effect.run { subscriber in
        DispatchQueue.global().async {
          for value in 1...3 { subscriber.send(value) }
          subscriber.send(completion: .finished)
        }
        return AnyCancellable {}
      }
    }
    let store = Store(initialState: [], reducer: reducer, environment: ())
    await store.send(0).finish()
    #expect(store.state == [0, 1, 2, 3])
  }

  @Test func asynchronousWork() async {
    let reducer = Reducer<[Int], Int, Void> { state, action, _ in
      state.append(action)
      guard action == 0 else { return .none }
      return .concatenate(
        .task { 1 },
        .run { send in
          await send(2)
          await send(3)
        },
        Effect<Int, any Error>.task { throw Failure() }.catchToEffect { _ in 4 })
    }
    let store = TestStore(initialState: [], reducer: reducer, environment: ())
    store.send(0) { $0 = [0] }
    await store.receive(1) { $0 = [0, 1] }
    await store.receive(2) { $0 = [0, 1, 2] }
    await store.receive(3) { $0 = [0, 1, 2, 3] }
    await store.receive(4) { $0 = [0, 1, 2, 3, 4] }
    await store.finish()
  }

  @Test func failingEffectsAndSchedulersFailTheTest() {
    withExpectedIssue { _ = events(Effect<Int, Never>.failing("Client.fetch")) }
    withExpectedIssue { _ = events(Just(1).receive(on: DispatchQueue.failing.eraseToAnyScheduler())) }
  }
}
