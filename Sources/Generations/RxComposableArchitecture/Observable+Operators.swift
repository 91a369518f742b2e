public import EffectStreams

extension Publisher {
  /// Returns the same stream with the error type `any Error`.
  public func asObservable() -> Observable<Output> { mapError { $0 } }

  /// Subscribes to the events of the stream until it is disposed of.
  @discardableResult
  public func subscribe(_ on: @escaping (Event<Output>) -> Void) -> any Disposable {
    subscribe(onNext: { on(.next($0)) }, onError: { on(.error($0)) }, onCompleted: { on(.completed) })
  }

  /// Sends the events to an observer until it is disposed of.
  @discardableResult
  public func subscribe(_ observer: some ObserverType<Output>) -> any Disposable { subscribe { observer.on($0) } }

  /// Sends the events to observers until it is disposed of.
  @_disfavoredOverload
  public func bind<Observer: ObserverType<Output>>(to observers: Observer...) -> any Disposable {
    subscribe { event in observers.forEach { $0.on(event) } }
  }

  /// Calls a closure with each value until it is disposed of.
  public func bind(onNext: @escaping (Output) -> Void) -> any Disposable { subscribe(onNext: onNext) }

  /// Sends the values to relays until it is disposed of.
  public func bind(to relays: BehaviorRelay<Output>...) -> any Disposable {
    subscribe(onNext: { value in relays.forEach { $0.accept(value) } })
  }

  /// Sends the values to relays until it is disposed of.
  public func bind(to relays: PublishRelay<Output>...) -> any Disposable {
    subscribe(onNext: { value in relays.forEach { $0.accept(value) } })
  }

  /// Returns a stream of the values of the stream made from the latest value.
  public func flatMapLatest<P: Publisher>(_ transform: @escaping (Output) -> P) -> Observable<P.Output> {
    asObservable().switchToLatest { transform($0).asObservable() }
  }

  /// Returns a stream of the values of the streams made from the values, one stream after another.
  public func concatMap<P: Publisher>(_ transform: @escaping (Output) -> P) -> Observable<P.Output> {
    asObservable().flatMap(maxPublishers: .max(1)) { transform($0).asObservable() }
  }

  /// Returns a stream of the latest value of another stream for each value.
  public func withLatestFrom<P: Publisher>(_ other: P) -> Observable<P.Output> {
    withLatestFrom(other) { $1 }
  }

  /// Returns a stream of each value combined with the latest value of another stream.
  public func withLatestFrom<P: Publisher, T>(
    _ other: P, resultSelector: @escaping (Output, P.Output) -> T
  ) -> Observable<T> {
    AnyPublisher(begin: { observer in
      var latest: P.Output?
      let lock = DeliveryLock()
      other.asObservable().receive(
        observer: observer.child(
          lock: lock, value: { latest = $0 },
          completion: { if case .failure = $0 { observer.send(completion: $0) } }))
      asObservable().receive(
        observer: observer.child(lock: lock) { value in
          if let latest { observer.send(resultSelector(value, latest)) }
        })
    })
  }

  /// Returns a stream of the values until another stream sends one.
  public func take(until other: some Publisher) -> AnyPublisher<Output, Failure> { prefix(untilOutputFrom: other) }

  /// Returns a stream of the values until another stream sends one. This was the name before RxSwift 6.
  public func takeUntil(_ other: some Publisher) -> AnyPublisher<Output, Failure> { take(until: other) }

  /// Returns a stream that ends with the first value that does not satisfy a condition.
  public func take(while predicate: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> {
    prefix(while: predicate)
  }

  /// Returns a stream without the first values that satisfy a condition.
  public func skip(while predicate: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> {
    drop(while: predicate)
  }

  /// Returns a stream of the first value of each interval, sent at once, and with `latest` also of its last value.
  public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
  ) -> AnyPublisher<Output, Failure> {
    throttle(for: .init(dueTime), scheduler: scheduler.queue, latest: latest)
  }

  /// Returns a stream that ends with a value instead of an error.
  public func catchAndReturn(_ value: Output) -> Observable<Output> { catchErrorJustReturn(value) }

  /// Returns a stream that continues with another one after an error.
  public func `catch`(_ handler: @escaping (Failure) -> Observable<Output>) -> Observable<Output> {
    tryCatch(handler)
  }

  /// Returns a stream that continues with another one after an error. This was the name before RxSwift 6.
  public func catchError(_ handler: @escaping (Failure) -> Observable<Output>) -> Observable<Output> {
    tryCatch(handler)
  }

  /// Returns a stream of the intermediate results of combining the values.
  @_disfavoredOverload
  public func scan<T>(_ seed: T, accumulator: @escaping (T, Output) -> T) -> AnyPublisher<T, Failure> {
    scan(seed, accumulator)
  }

  /// Returns a stream that sends the combination of all values when this stream ends.
  @_disfavoredOverload
  public func reduce<T>(_ seed: T, accumulator: @escaping (T, Output) -> T) -> AnyPublisher<T, Failure> {
    reduce(seed, accumulator)
  }

  /// Returns a stream without values whose derived part equals that of the preceding value.
  public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping (Output) -> Key
  ) -> AnyPublisher<Output, Failure> {
    removeDuplicates { keySelector($0) == keySelector($1) }
  }

  /// Returns a stream of streams, one for the values of each key.
  public func groupBy<Key: Hashable>(
    keySelector: @escaping (Output) throws -> Key
  ) -> Observable<GroupedObservable<Key, Output>> {
    AnyPublisher(begin: { observer in
      var groups: [Key: PassthroughSubject<Output, any Error>] = [:]
      func end(_ completion: Subscribers.Completion<any Error>) {
        for group in groups.values { group.send(completion: completion) }
        observer.send(completion: completion)
      }
      asObservable().receive(
        observer: observer.child(
          value: { value in
            do {
              let key = try keySelector(value)
              if groups[key] == nil {
                let group = PassthroughSubject<Output, any Error>()
                groups[key] = group
                observer.send(GroupedObservable(key: key, subject: group))
              }
              groups[key]?.send(value)
            } catch { end(.failure(error)) }
          }, completion: end))
    })
  }

  /// Returns a stream that sends all values as one array.
  public func toArray() -> Single<[Output]> { collect().asSingle() }
}

extension AnyPublisher where Failure == any Error {
  /// Returns a stream of the transformed pairs of two streams.
  public static func zip<A, B>(
    _ first: Observable<A>, _ second: Observable<B>, resultSelector: @escaping (A, B) -> Output
  ) -> AnyPublisher {
    first.zip(second, resultSelector)
  }

  /// Returns a stream of pairs of the values of two streams.
  public static func zip<A, B>(_ first: Observable<A>, _ second: Observable<B>) -> AnyPublisher where Output == (A, B) {
    first.zip(second)
  }

  /// Returns a stream of the transformed latest values of two streams.
  public static func combineLatest<A, B>(
    _ first: Observable<A>, _ second: Observable<B>, resultSelector: @escaping (A, B) -> Output
  ) -> AnyPublisher {
    first.combineLatest(second, resultSelector)
  }

  /// Returns a stream of the latest values of two streams.
  public static func combineLatest<A, B>(_ first: Observable<A>, _ second: Observable<B>) -> AnyPublisher
  where Output == (A, B) {
    first.combineLatest(second)
  }

  /// Returns a stream of the values of several streams, all running at the same time.
  public static func merge(_ sources: [AnyPublisher]) -> AnyPublisher { .merging(sources) }
}

extension AnyPublisher where Failure == any Error, Output == Int {
  /// Returns a stream that counts 0, 1, 2 … at an interval.
  public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> AnyPublisher {
    AnyPublisher<DispatchQueue.SchedulerTimeType, any Error>.timer(
      every: .init(period), tolerance: nil, on: scheduler.queue, options: nil
    ).scan(-1) { count, _ in count + 1 }
  }

  /// Returns a stream that sends 0 after a delay.
  public static func timer(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> AnyPublisher {
    .just(0).delay(dueTime, scheduler: scheduler)
  }
}

/// The values of one key of ``groupBy(keySelector:)``, from the subscription on.
public struct GroupedObservable<Key, Element>: Publisher {
  /// The key.
  public let key: Key
  fileprivate let subject: PassthroughSubject<Element, any Error>

  /// Adds a subscriber.
  public func receive(observer: StreamObserver<Element, any Error>) { subject.receive(observer: observer) }
}
