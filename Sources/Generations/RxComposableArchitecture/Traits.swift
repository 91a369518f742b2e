public import EffectStreams

/// A stream with a limited number of values: ``Single``, ``Maybe`` or ``Completable``.
public struct PrimitiveSequence<Trait, Element>: Publisher {
  private let stream: Observable<Element>

  init(_ stream: Observable<Element>) {
    self.stream = stream
  }

  /// Adds a subscriber.
  public func receive(observer: StreamObserver<Element, any Error>) { stream.receive(observer: observer) }

  /// Returns the stream as an observable.
  public func asObservable() -> Observable<Element> { stream }
}

/// A stream of one value or an error.
public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>
/// A stream of at most one value, or an error.
public typealias Maybe<Element> = PrimitiveSequence<MaybeTrait, Element>
/// A stream without values, which ends or fails.
public typealias Completable = PrimitiveSequence<CompletableTrait, Never>

/// The kind of ``Single``.
public enum SingleTrait {}
/// The kind of ``Maybe``.
public enum MaybeTrait {}
/// The kind of ``Completable``.
public enum CompletableTrait {}

/// The event of a ``Single``.
public typealias SingleEvent<Element> = Result<Element, any Error>

/// The event of a ``Maybe``.
public enum MaybeEvent<Element> {
  /// The value.
  case success(Element)
  /// The end, with an error.
  case error(any Error)
  /// The end, without a value.
  case completed
}

/// The event of a ``Completable``.
public enum CompletableEvent {
  /// The end, with an error.
  case error(any Error)
  /// The end.
  case completed
}

extension PrimitiveSequence {
  /// Creates a stream that fails.
  public static func error(_ error: any Error) -> Self { Self(.error(error)) }

  /// Creates a stream that never ends.
  public static func never() -> Self { Self(.never()) }

  /// Creates a stream that calls a closure for each subscription and sends the events of its stream.
  public static func deferred(_ make: @escaping () throws -> Self) -> Self {
    Self(
      .deferred {
        do { return try make().asObservable() } catch { return .error(error) }
      })
  }

  /// Returns a stream that sends its event on a scheduler.
  public func observe(on scheduler: any SchedulerType) -> Self { Self(stream.observe(on: scheduler)) }

  /// Returns a stream that starts on a scheduler.
  public func subscribe(on scheduler: any SchedulerType) -> Self { Self(stream.subscribe(on: scheduler)) }

  /// Returns a stream that sends its event after a delay.
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
    Self(stream.delay(dueTime, scheduler: scheduler))
  }

  /// Returns a stream that continues with another one after an error.
  public func `catch`(_ handler: @escaping (any Error) -> Self) -> Self {
    Self(stream.catch { handler($0).asObservable() })
  }

  /// Returns a stream that restarts after an error.
  ///
  /// - Parameter maxAttemptCount: The number of subscriptions, at least 1.
  public func retry(_ maxAttemptCount: Int) -> Self { Self(stream.retry(maxAttemptCount - 1)) }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// Creates a stream whose event a closure provides. The returned disposable is disposed of at the end.
  public static func create(
    subscribe: @escaping (_ single: @escaping (SingleEvent<Element>) -> Void) -> any Disposable
  ) -> Single<Element> {
    Single(.create { observer in subscribe { observer.end(with: $0) } })
  }

  /// Creates a stream of one value.
  public static func just(_ element: Element) -> Single<Element> { Single(.just(element)) }

  /// Returns a stream of the transformed value.
  public func map<T>(_ transform: @escaping (Element) throws -> T) -> Single<T> {
    Single<T>(asObservable().tryMap(transform))
  }

  /// Returns a stream of the value of the stream made from the value.
  public func flatMap<T>(_ transform: @escaping (Element) throws -> Single<T>) -> Single<T> {
    asObservable().joining(transform)
  }

  /// Returns a stream that calls closures for its event.
  public func `do`(
    onSuccess: ((Element) -> Void)? = nil, onError: ((any Error) -> Void)? = nil, onSubscribe: (() -> Void)? = nil,
    onDispose: (() -> Void)? = nil
  ) -> Single<Element> {
    Single(
      asObservable().do(onNext: onSuccess, onError: onError, onSubscribe: onSubscribe, onDispose: onDispose))
  }

  /// Returns a stream that ends with a value instead of an error.
  public func catchAndReturn(_ value: Element) -> Single<Element> { self.catch { _ in .just(value) } }

  /// Returns a stream of the transformed values of two streams.
  public static func zip<A, B>(
    _ first: Single<A>, _ second: Single<B>, resultSelector: @escaping (A, B) -> Element
  ) -> Single<Element> {
    Single(.zip(first.asObservable(), second.asObservable(), resultSelector: resultSelector))
  }

  /// Returns a stream with the same event.
  public func asMaybe() -> Maybe<Element> { Maybe(asObservable()) }

  /// Returns a stream without the value.
  public func asCompletable() -> Completable { asObservable().ignoreElements() }

  /// Subscribes to the stream until it is disposed of.
  @discardableResult
  public func subscribe(
    onSuccess: ((Element) -> Void)? = nil, onFailure: ((any Error) -> Void)? = nil, onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(onNext: onSuccess, onError: onFailure, onDisposed: onDisposed)
  }

  /// Subscribes to the event of the stream until it is disposed of.
  @discardableResult
  public func subscribe(_ observer: @escaping (SingleEvent<Element>) -> Void) -> any Disposable {
    subscribe(onSuccess: { observer(.success($0)) }, onFailure: { observer(.failure($0)) })
  }
}

extension PrimitiveSequence where Trait == MaybeTrait {
  /// Creates a stream whose event a closure provides. The returned disposable is disposed of at the end.
  public static func create(
    subscribe: @escaping (_ maybe: @escaping (MaybeEvent<Element>) -> Void) -> any Disposable
  ) -> Maybe<Element> {
    Maybe(
      .create { observer in
        subscribe {
          switch $0 {
          case .success(let value): observer.end(with: .success(value))
          case .error(let error): observer.onError(error)
          case .completed: observer.onCompleted()
          }
        }
      })
  }

  /// Creates a stream of one value.
  public static func just(_ element: Element) -> Maybe<Element> { Maybe(.just(element)) }

  /// Creates a stream without a value.
  public static func empty() -> Maybe<Element> { Maybe(.empty()) }

  /// Returns a stream of the transformed value.
  public func map<T>(_ transform: @escaping (Element) throws -> T) -> Maybe<T> {
    Maybe<T>(asObservable().tryMap(transform))
  }

  /// Returns a stream of the value of the stream made from the value.
  public func flatMap<T>(_ transform: @escaping (Element) throws -> Maybe<T>) -> Maybe<T> {
    asObservable().joining(transform)
  }

  /// Returns a stream of the value if it satisfies a condition.
  public func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> Maybe<Element> {
    Maybe(asObservable().tryFilter(isIncluded))
  }

  /// Returns a stream of another value if there is none.
  public func ifEmpty(default value: Element) -> Single<Element> { Single(asObservable().replaceEmpty(with: value)) }

  /// Returns a stream that ends with a value instead of an error.
  public func catchAndReturn(_ value: Element) -> Maybe<Element> { self.catch { _ in .just(value) } }

  /// Returns a stream without the value.
  public func asCompletable() -> Completable { asObservable().ignoreElements() }

  /// Subscribes to the stream until it is disposed of. Of the first three closures, one is called.
  @discardableResult
  public func subscribe(
    onSuccess: ((Element) -> Void)? = nil, onError: ((any Error) -> Void)? = nil, onCompleted: (() -> Void)? = nil,
    onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    var hasValue = false
    return asObservable().subscribe(
      onNext: {
        hasValue = true
        onSuccess?($0)
      },
      onError: onError, onCompleted: { if !hasValue { onCompleted?() } }, onDisposed: onDisposed)
  }

  /// Subscribes to the event of the stream until it is disposed of.
  @discardableResult
  public func subscribe(_ observer: @escaping (MaybeEvent<Element>) -> Void) -> any Disposable {
    subscribe(
      onSuccess: { observer(.success($0)) }, onError: { observer(.error($0)) }, onCompleted: { observer(.completed) })
  }
}

extension PrimitiveSequence where Trait == CompletableTrait, Element == Never {
  /// Creates a stream whose event a closure provides. The returned disposable is disposed of at the end.
  public static func create(
    subscribe: @escaping (_ completable: @escaping (CompletableEvent) -> Void) -> any Disposable
  ) -> Completable {
    Completable(
      .create { observer in
        subscribe {
          switch $0 {
          case .error(let error): observer.onError(error)
          case .completed: observer.onCompleted()
          }
        }
      })
  }

  /// Creates a stream that ends.
  public static func empty() -> Completable { Completable(.empty()) }

  /// Returns a stream that continues with an observable after the end.
  public func andThen<T>(_ second: Observable<T>) -> Observable<T> {
    withoutElements().append(second)
  }

  /// Returns a stream that continues with a stream of a trait after the end.
  public func andThen<Other, T>(_ second: PrimitiveSequence<Other, T>) -> PrimitiveSequence<Other, T> {
    PrimitiveSequence<Other, T>(andThen(second.asObservable()))
  }

  /// Returns a stream that ends when several streams have ended, one after another.
  public static func concat(_ sources: Completable...) -> Completable {
    sources.reduce(.empty()) { $0.andThen($1) }
  }

  /// Returns a stream that ends when several streams, all running at the same time, have ended.
  public static func zip(_ sources: Completable...) -> Completable {
    Completable(.merging(sources.map { $0.asObservable() }))
  }

  /// Subscribes to the stream until it is disposed of.
  @discardableResult
  public func subscribe(
    onCompleted: (() -> Void)? = nil, onError: ((any Error) -> Void)? = nil, onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribe(onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Subscribes to the event of the stream until it is disposed of.
  @discardableResult
  public func subscribe(_ observer: @escaping (CompletableEvent) -> Void) -> any Disposable {
    subscribe(onCompleted: { observer(.completed) }, onError: { observer(.error($0)) })
  }
}

/// The errors of streams with another number of values than their traits allow.
public enum RxError: Error, Equatable {
  /// The stream ended without a value.
  case noElements
  /// The stream sent a second value.
  case moreThanOneElement
}

extension Publisher {
  /// Returns a stream of the only value, sent at the end. Any other number of values is an error.
  public func asSingle() -> Single<Output> { Single(only(isRequired: true)) }

  /// Returns a stream of the only value, sent at the end, or of none. A second value is an error.
  public func asMaybe() -> Maybe<Output> { Maybe(only(isRequired: false)) }

  /// Returns a stream without the values.
  public func ignoreElements() -> Completable { Completable(asObservable().ignoreOutput()) }

  /// Returns a stream of another type that ends or fails with this one.
  fileprivate func withoutElements<T>() -> Observable<T> { asObservable().compactMap { _ in T?.none } }

  private func only(isRequired: Bool) -> Observable<Output> {
    AnyPublisher(begin: { observer in
      var value: Output?
      asObservable().receive(
        observer: observer.child(
          value: {
            if value != nil { observer.send(completion: .failure(RxError.moreThanOneElement)) }
            value = $0
          },
          completion: {
            guard case .finished = $0 else { return observer.send(completion: $0) }
            if let value { observer.send(value) }
            let isMissing = isRequired && value == nil
            observer.send(completion: isMissing ? .failure(RxError.noElements) : .finished)
          }))
    })
  }

  /// Returns a stream of the values of the streams that the values are transformed to.
  fileprivate func joining<Trait, T>(
    _ transform: @escaping (Output) throws -> PrimitiveSequence<Trait, T>
  ) -> PrimitiveSequence<Trait, T> {
    PrimitiveSequence(asObservable().tryMap { try transform($0).asObservable() }.flatMap { $0 })
  }
}

extension AnyObserver {
  /// Sends the only value and the end, or the error.
  fileprivate func end(with result: Result<Element, any Error>) {
    switch result {
    case .success(let value):
      onNext(value)
      onCompleted()
    case .failure(let error): onError(error)
    }
  }
}
