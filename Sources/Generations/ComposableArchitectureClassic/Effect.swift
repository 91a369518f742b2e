internal import ConcurrencyExtras
public import EffectStreams
package import FeatureCore

/// A side effect that a reducer returns: a stream of `Output` values that may fail.
///
/// A store subscribes to the effects of an action as soon as its reducer has run. It reduces values that are sent on
/// another thread on the main thread.
public struct Effect<Output, Failure: Error>: Publisher {
  package enum Work {
    case none
    /// An effect in the form of the store's core, which cannot fail.
    case tree(EffectTree<Output>)
    case stream(AnyPublisher<Output, Failure>)
  }

  package let work: Work

  package init(_ work: Work) {
    self.work = work
  }

  /// Wraps a stream.
  public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
    if let effect = publisher as? Effect { self = effect } else { work = .stream(publisher.eraseToAnyPublisher()) }
  }

  /// Creates an effect that sends one value.
  public init(value: Output) {
    work = .tree(.send(value))
  }

  /// Creates an effect that fails.
  public init(error: Failure) {
    work = .stream(Fail(error: error).eraseToAnyPublisher())
  }

  /// Starts to send values to an observer.
  public func receive(observer: StreamObserver<Output, Failure>) {
    switch work {
    case .none: observer.send(completion: .finished)
    case .tree(let tree):
      tree.infalliblePublisher.receive(
        observer: observer.child(value: observer.send, completion: { _ in observer.send(completion: .finished) }))
    case .stream(let stream): stream.receive(observer: observer)
    }
  }

  /// The effect for the store's core; nil if it does nothing, or if it is a stream that may fail.
  var tree: EffectTree<Output>? {
    switch work {
    case .none: nil
    case .tree(let tree): tree
    case .stream(let stream): Failure.self == Never.self ? .subscribing(to: stream) : nil
    }
  }

  var isNone: Bool { if case .none = work { true } else { false } }

  /// True if the effect can be converted for the store's core.
  var isTree: Bool { if case .stream = work { Failure.self == Never.self } else { true } }

  /// An effect that does nothing.
  public static var none: Effect { Effect(.none) }
}

extension Effect {
  /// The receiving end in ``run(_:)``.
  public typealias Subscriber = StreamObserver<Output, Failure>

  /// Creates an effect from a callback that is called once.
  public static func future(
    _ attemptToFulfill: @escaping (@escaping (Result<Output, Failure>) -> Void) -> Void
  ) -> Effect {
    Deferred { Future(attemptToFulfill) }.eraseToEffect()
  }

  /// Creates an effect from a result, which is computed when the effect starts.
  public static func result(_ attemptToFulfill: @escaping () -> Result<Output, Failure>) -> Effect {
    Deferred { attemptToFulfill().publisher }.eraseToEffect()
  }

  /// Creates an effect that sends any number of values to a subscriber. The result of `work` is cancelled at the end.
  public static func run(_ work: @escaping (Subscriber) -> any Cancellable) -> Effect {
    AnyPublisher { observer in observer.keep(work(observer)) }.eraseToEffect()
  }

  /// Creates an effect that sends any number of values to a subscriber: the name of 0.1 for ``run(_:)``.
  public static func async(_ work: @escaping (Subscriber) -> any Cancellable) -> Effect { run(work) }

  /// Runs an operation that sends nothing.
  public static func fireAndForget(_ work: @escaping () -> Void) -> Effect {
    AnyPublisher { observer in
      work()
      observer.send(completion: .finished)
    }.eraseToEffect()
  }

  /// Creates an effect that fails the test if it is run.
  public static func failing(_ prefix: String) -> Effect {
    .fireAndForget { reportUnimplemented(prefix) }
  }

  /// Creates an effect that fails the test if it is run.
  public static func unimplemented(_ prefix: String) -> Effect { failing(prefix) }

  /// Returns an effect that starts after a delay.
  public func deferred<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Effect {
    guard !isNone else { return self }
    return Just(()).setFailureType(to: Failure.self).delay(for: dueTime, scheduler: scheduler, options: options)
      .flatMap { self }.eraseToEffect()
  }
}

extension Effect where Failure == any Error {
  /// Creates an effect from a synchronous operation that may fail.
  public static func catching(_ work: @escaping () throws -> Output) -> Effect {
    .result { Result(catching: work) }
  }

  /// Creates an effect from a synchronous operation that may fail.
  public static func sync(_ work: @escaping () throws -> Output) -> Effect { catching(work) }
}

extension Effect where Failure == Never {
  /// Creates an effect from a synchronous operation.
  public static func sync(_ work: @escaping () -> Output) -> Effect { .result { .success(work()) } }
}

extension Publisher {
  /// Returns this stream as an effect.
  public func eraseToEffect() -> Effect<Output, Failure> { Effect(self) }

  /// Returns this stream as an effect with transformed values.
  public func eraseToEffect<T>(_ transform: @escaping (Output) -> T) -> Effect<T, Failure> {
    eraseToEffect().map(transform)
  }

  /// Returns this stream as an effect that sends results instead of failing.
  public func catchToEffect() -> Effect<Result<Output, Failure>, Never> {
    if let effect = self as? Effect<Output, Failure>, effect.isNone { return .none }
    return results().eraseToEffect()
  }

  /// Returns this stream as an effect that sends transformed results instead of failing.
  public func catchToEffect<T>(_ transform: @escaping (Result<Output, Failure>) -> T) -> Effect<T, Never> {
    catchToEffect().map(transform)
  }

  /// Returns this stream as an effect that sends nothing.
  public func fireAndForget<NewOutput, NewFailure>(
    outputType: NewOutput.Type = NewOutput.self, failureType: NewFailure.Type = NewFailure.self
  ) -> Effect<NewOutput, NewFailure> {
    if let effect = self as? Effect<Output, Failure>, effect.isNone { return .none }
    return AnyPublisher<NewOutput, NewFailure> { observer in
      receive(
        observer: observer.child(
          value: { (_: Output) in },
          completion: { (_: Subscribers.Completion<Failure>) in observer.send(completion: .finished) }))
    }.eraseToEffect()
  }
}
