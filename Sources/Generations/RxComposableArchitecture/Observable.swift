internal import CombineSchedulers
internal import ConcurrencyExtras
public import EffectStreams

/// A stream of values that may fail with any error.
public typealias Observable<Element> = AnyPublisher<Element, any Error>
/// RxSwift's name for streams.
public typealias ObservableType = Publisher

/// An event of an observable.
public enum Event<Element> {
  /// A value.
  case next(Element)
  /// The end, with an error.
  case error(any Error)
  /// The end.
  case completed
}

extension AnyPublisher {
  /// Creates a stream of one value.
  public static func just(_ element: Output) -> AnyPublisher { of(element) }

  /// Creates a stream of values.
  public static func of(_ elements: Output...) -> AnyPublisher { from(elements) }

  /// Creates a stream of values.
  public static func from(_ elements: [Output]) -> AnyPublisher { elements.publisher.setFailureType(to: Failure.self) }

  /// Creates a stream without values.
  public static func empty() -> AnyPublisher { Empty().eraseToAnyPublisher() }

  /// Creates a stream that never ends.
  public static func never() -> AnyPublisher { Empty(completeImmediately: false).eraseToAnyPublisher() }

  /// Creates a stream that calls a closure for each subscription and sends the values of its stream.
  public static func deferred(_ make: @escaping () -> AnyPublisher) -> AnyPublisher {
    Deferred(createPublisher: make).eraseToAnyPublisher()
  }

  /// Returns a stream of the values of several streams, all running at the same time.
  public static func merge(_ sources: AnyPublisher...) -> AnyPublisher { .merging(sources) }

  /// Returns a stream of the values of several streams, in sequence.
  public static func concat(_ sources: AnyPublisher...) -> AnyPublisher {
    sources.reduce(.empty()) { $0.append($1) }
  }
}

extension AnyPublisher where Failure == any Error {
  /// Creates a stream that fails.
  public static func error(_ error: any Error) -> AnyPublisher { Fail(error: error).eraseToAnyPublisher() }

  /// Creates a stream whose events a closure sends. The returned disposable is disposed of at the end.
  public static func create(_ subscribe: @escaping (AnyObserver<Output>) -> any Disposable) -> AnyPublisher {
    AnyPublisher(begin: { observer in
      let sender = AnyObserver<Output> {
        switch $0 {
        case .next(let element): observer.send(element)
        case .error(let error): observer.send(completion: .failure(error))
        case .completed: observer.send(completion: .finished)
        }
      }
      observer.keep(DisposableCancellable(disposable: subscribe(sender)))
    })
  }

  /// Returns this stream.
  public func asObservable() -> AnyPublisher { self }

  /// Returns a stream that continues with another one after the end of this one.
  public func concat(_ other: AnyPublisher) -> AnyPublisher { append(other) }
}

extension Publisher {
  /// Subscribes to the stream until it is disposed of.
  @discardableResult
  public func subscribe(
    onNext: ((Output) -> Void)? = nil, onError: ((any Error) -> Void)? = nil, onCompleted: (() -> Void)? = nil,
    onDisposed: (() -> Void)? = nil
  ) -> any Disposable {
    let observer = StreamObserver<Output, Failure>(
      value: { onNext?($0) },
      completion: {
        switch $0 {
        case .finished: onCompleted?()
        case .failure(let error): onError?(error)
        }
      })
    if let onDisposed {
      let onDisposed = UncheckedSendable(onDisposed)
      observer.onEnd { onDisposed.value() }
    }
    receive(observer: observer)
    return Disposables.create { observer.cancel() }
  }

  /// Returns a stream that sends its events on a scheduler.
  public func observe(on scheduler: any SchedulerType) -> AnyPublisher<Output, Failure> {
    receive(on: scheduler.queue)
  }

  /// Returns a stream that sends its events on a scheduler: the name before RxSwift 6.
  public func observeOn(_ scheduler: any SchedulerType) -> AnyPublisher<Output, Failure> { observe(on: scheduler) }

  /// Returns a stream that sends its events on a scheduler: Combine's name.
  public func receive(on scheduler: any SchedulerType) -> AnyPublisher<Output, Failure> { observe(on: scheduler) }

  /// Returns a stream that starts on a scheduler.
  public func subscribe(on scheduler: any SchedulerType) -> AnyPublisher<Output, Failure> {
    subscribe(on: scheduler.queue)
  }

  /// Returns a stream that sends its events after a delay.
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> AnyPublisher<Output, Failure> {
    delay(for: .init(dueTime), scheduler: scheduler.queue)
  }

  /// Returns a stream of the last value before each pause of a duration.
  public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> AnyPublisher<Output, Failure> {
    debounce(for: .init(dueTime), scheduler: scheduler.queue)
  }

  /// Returns a stream without the values that a function considers equal to the preceding one.
  public func distinctUntilChanged(_ isDuplicate: @escaping (Output, Output) -> Bool) -> AnyPublisher<Output, Failure> {
    removeDuplicates(by: isDuplicate)
  }

  /// Returns a stream of the first values, up to a count.
  public func take(_ count: Int) -> AnyPublisher<Output, Failure> { prefix(count) }

  /// Returns a stream without the first values.
  public func skip(_ count: Int) -> AnyPublisher<Output, Failure> { dropFirst(count) }

  /// Returns a stream that begins with a value.
  public func startWith(_ value: Output) -> AnyPublisher<Output, Failure> { prepend(value) }

  /// Returns a stream that calls closures for its events.
  public func `do`(
    onNext: ((Output) -> Void)? = nil, onError: ((Failure) -> Void)? = nil, onCompleted: (() -> Void)? = nil,
    onSubscribe: (() -> Void)? = nil, onDispose: (() -> Void)? = nil
  ) -> AnyPublisher<Output, Failure> {
    disposing(onDispose).handleEvents(
      receiveSubscription: onSubscribe, receiveOutput: onNext,
      receiveCompletion: {
        switch $0 {
        case .finished: onCompleted?()
        case .failure(let error): onError?(error)
        }
      })
  }

  /// Returns the stream with a closure that is called when it ends or is disposed of.
  private func disposing(_ onDispose: (() -> Void)?) -> AnyPublisher<Output, Failure> {
    guard let onDispose else { return eraseToAnyPublisher() }
    let dispose = UncheckedSendable(onDispose)
    return AnyPublisher(begin: { observer in
      observer.onEnd { dispose.value() }
      receive(observer: observer)
    })
  }

  /// Returns a stream that ends with a value instead of an error.
  public func catchErrorJustReturn(_ value: Output) -> AnyPublisher<Output, any Error> {
    replaceError(with: value).setFailureType(to: (any Error).self)
  }
}

extension Publisher where Output: Equatable {
  /// Returns a stream without values that equal the preceding one.
  public func distinctUntilChanged() -> AnyPublisher<Output, Failure> { removeDuplicates() }
}
