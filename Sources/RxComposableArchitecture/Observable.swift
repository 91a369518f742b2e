internal import CombineSchedulers
internal import ConcurrencyExtras
public import EffectStreams

/// A stream of values that may fail with any error.
public typealias Observable<Element> = AnyPublisher<Element, any Error>
/// Streams under the name that RxSwift has for them.
public typealias ObservableType = Publisher

/// The receiving end of an observable.
public struct AnyObserver<Element> {
  let observer: StreamObserver<Element, any Error>

  /// Sends a value.
  public func onNext(_ element: Element) { observer.send(element) }
  /// Ends the stream with an error.
  public func onError(_ error: any Error) { observer.send(completion: .failure(error)) }
  /// Ends the stream.
  public func onCompleted() { observer.send(completion: .finished) }
}

extension AnyPublisher where Failure == any Error {
  /// A stream of one value.
  public static func just(_ element: Output) -> AnyPublisher { of(element) }

  /// A stream of values.
  public static func of(_ elements: Output...) -> AnyPublisher { from(elements) }

  /// A stream of values.
  public static func from(_ elements: [Output]) -> AnyPublisher { elements.publisher.setFailureType(to: Failure.self) }

  /// A stream without values.
  public static func empty() -> AnyPublisher { Empty().eraseToAnyPublisher() }

  /// A stream that never ends.
  public static func never() -> AnyPublisher { Empty(completeImmediately: false).eraseToAnyPublisher() }

  /// A stream that fails.
  public static func error(_ error: any Error) -> AnyPublisher { Fail(error: error).eraseToAnyPublisher() }

  /// A stream that a closure makes for each subscription.
  public static func deferred(_ make: @escaping () -> AnyPublisher) -> AnyPublisher {
    Deferred(createPublisher: make).eraseToAnyPublisher()
  }

  /// A stream that a closure feeds. What it returns is disposed of at the end.
  public static func create(_ subscribe: @escaping (AnyObserver<Output>) -> any Disposable) -> AnyPublisher {
    AnyPublisher(begin: { observer in
      observer.keep(DisposableCancellable(disposable: subscribe(AnyObserver(observer: observer))))
    })
  }

  /// Streams at the same time.
  public static func merge(_ sources: AnyPublisher...) -> AnyPublisher { .merging(sources) }

  /// One stream after another.
  public static func concat(_ sources: AnyPublisher...) -> AnyPublisher {
    sources.reduce(.empty()) { $0.append($1) }
  }

  /// This stream again.
  public func asObservable() -> AnyPublisher { self }

  /// Another stream when this one has finished.
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

  /// The events of the stream, handed to a scheduler.
  public func observe(on scheduler: any SchedulerType) -> AnyPublisher<Output, Failure> {
    receive(on: scheduler.queue)
  }

  /// The events of the stream, handed to a scheduler: the name before RxSwift 6.
  public func observeOn(_ scheduler: any SchedulerType) -> AnyPublisher<Output, Failure> { observe(on: scheduler) }

  /// The events of the stream, handed to a scheduler: Combine's name.
  public func receive(on scheduler: any SchedulerType) -> AnyPublisher<Output, Failure> { observe(on: scheduler) }

  /// Begins the stream on a scheduler.
  public func subscribe(on scheduler: any SchedulerType) -> AnyPublisher<Output, Failure> {
    subscribe(on: scheduler.queue)
  }

  /// The events of the stream, later.
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> AnyPublisher<Output, Failure> {
    delay(for: .init(dueTime), scheduler: scheduler.queue)
  }

  /// The last value after each pause of a length.
  public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> AnyPublisher<Output, Failure> {
    debounce(for: .init(dueTime), scheduler: scheduler.queue)
  }

  /// The values without those that a function says equal the one before.
  public func distinctUntilChanged(_ isDuplicate: @escaping (Output, Output) -> Bool) -> AnyPublisher<Output, Failure> {
    removeDuplicates(by: isDuplicate)
  }

  /// At most so many values.
  public func take(_ count: Int) -> AnyPublisher<Output, Failure> { prefix(count) }

  /// The values behind the first ones.
  public func skip(_ count: Int) -> AnyPublisher<Output, Failure> { dropFirst(count) }

  /// A value before those of the stream.
  public func startWith(_ value: Output) -> AnyPublisher<Output, Failure> { prepend(value) }

  /// Calls closures at the events of the stream.
  public func `do`(
    onNext: ((Output) -> Void)? = nil, onError: ((Failure) -> Void)? = nil, onCompleted: (() -> Void)? = nil
  ) -> AnyPublisher<Output, Failure> {
    handleEvents(
      receiveOutput: onNext,
      receiveCompletion: {
        switch $0 {
        case .finished: onCompleted?()
        case .failure(let error): onError?(error)
        }
      })
  }

  /// A last value in place of an error.
  public func catchErrorJustReturn(_ value: Output) -> AnyPublisher<Output, any Error> {
    replaceError(with: value).setFailureType(to: (any Error).self)
  }
}

extension Publisher where Output: Equatable {
  /// The values without those that equal the one before.
  public func distinctUntilChanged() -> AnyPublisher<Output, Failure> { removeDuplicates() }
}
