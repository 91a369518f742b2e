internal import ConcurrencyExtras
internal import Dependencies
public import EffectStreams
public import FeatureCore

/// Makes effects streams with untyped errors. An error that reaches a store is reported as an issue.
extension Effect: Publisher {
  /// The values of the stream.
  public typealias Output = Action
  /// Any error.
  public typealias Failure = any Error

  /// Starts to send values to an observer.
  public func receive(observer: StreamObserver<Action, any Error>) {
    guard let tree else { return observer.send(completion: .finished) }
    tree.publisher.receive(observer: observer)
  }
}

extension Effect {
  /// Wraps a stream.
  public init(_ publisher: some Publisher<Action, some Error>) {
    self.init(stream: publisher)
  }

  /// The effect as a stream.
  public var observable: Observable<Action> { eraseToAnyPublisher() }

  /// Returns the effect as a stream.
  public func asObservable() -> Observable<Action> { observable }

  init(stream: some Publisher<Action, some Error>) {
    self.init(tree: .subscribing(to: stream.eraseToAnyPublisher()))
  }

  /// Creates an effect that sends one value.
  public init(value: Action) {
    self = .send(value)
  }

  /// Creates an effect that fails.
  public init(error: any Error) {
    self.init(stream: Fail<Action, any Error>(error: error))
  }

  /// Creates an effect from a callback that is called once.
  public static func future(_ attemptToFulfill: @escaping (@escaping (Result<Action, any Error>) -> Void) -> Void)
    -> Effect
  {
    let dependencies = withEscapedDependencies { $0 }
    return Effect(stream: Deferred { dependencies.yield { Future(attemptToFulfill) } })
  }

  /// Creates an effect from a result, which is computed when the effect starts.
  public static func result(_ attemptToFulfill: @escaping () -> Result<Action, any Error>) -> Effect {
    let dependencies = withEscapedDependencies { $0 }
    return Effect(stream: Deferred { dependencies.yield { attemptToFulfill().publisher } })
  }

  /// Creates an effect from a synchronous operation that may fail.
  public static func catching(_ work: @escaping () throws -> Action) -> Effect { .result { Result(catching: work) } }

  /// Creates an effect that sends any number of values to an observer. The result of `work` is disposed of at the end.
  public static func run(_ work: @escaping (AnyObserver<Action>) -> any Disposable) -> Effect {
    let dependencies = withEscapedDependencies { $0 }
    return Effect(stream: Observable.create { observer in dependencies.yield { work(observer) } })
  }

  /// Runs an operation that sends nothing.
  public static func fireAndForget(_ work: @escaping () -> Void) -> Effect {
    let dependencies = withEscapedDependencies { $0 }
    return Effect(
      stream: AnyPublisher<Action, any Error>(begin: { observer in
        dependencies.yield { work() }
        observer.send(completion: .finished)
      }))
  }

  /// Runs an asynchronous operation that sends nothing.
  @_disfavoredOverload
  public static func fireAndForget(
    priority: TaskPriority? = nil, _ work: @escaping @Sendable () async throws -> Void
  ) -> Effect {
    .run(priority: priority) { _ in try? await work() }
  }

  /// Creates an effect from an asynchronous operation that returns one value.
  public static func task(
    priority: TaskPriority? = nil, operation: @escaping @Sendable () async throws -> Action,
    catch handler: (@Sendable (any Error) async -> Action)? = nil
  ) -> Effect {
    .run(priority: priority) { (send: Send<Action>) in
      do { await send(UncheckedSendable(try await operation())) } catch {
        guard let handler, !(error is CancellationError) else { throw error }
        await send(UncheckedSendable(await handler(error)))
      }
    }
  }

  /// Creates an effect that fails the test if it is run.
  public static func failing(_ prefix: String) -> Effect { .fireAndForget { reportUnimplemented(prefix) } }

  /// Creates an effect that fails the test if it is run.
  public static func unimplemented(_ prefix: String) -> Effect { failing(prefix) }

  /// Returns the effect itself.
  public func eraseToEffect() -> Effect { self }

  /// Returns an effect that runs another effect for each value, concurrently.
  public func flatMap<Other>(_ transform: @escaping (Action) -> Effect<Other>) -> Effect<Other> {
    Effect<Other>(stream: eraseToAnyPublisher().flatMap(transform))
  }
}

extension Send {
  /// Sends an action that no other task can access.
  fileprivate func callAsFunction(_ action: UncheckedSendable<Action>) { self(action.value) }
}

extension Publisher {
  /// Returns this stream as an effect.
  @_disfavoredOverload
  public func eraseToEffect() -> Effect<Output> { Effect(stream: self) }

  /// Returns this stream as an effect with transformed values.
  public func eraseToEffect<T>(_ transform: @escaping (Output) -> T) -> Effect<T> { Effect<T>(stream: map(transform)) }

  /// Returns this stream as an effect that sends results instead of failing.
  public func catchToEffect() -> Effect<Result<Output, any Error>> {
    Effect<Result<Output, any Error>>(stream: mapError { $0 as any Error }.results())
  }

  /// Returns this stream as an effect that sends transformed results instead of failing.
  public func catchToEffect<T>(_ transform: @escaping (Result<Output, any Error>) -> T) -> Effect<T> {
    catchToEffect().eraseToEffect(transform)
  }

  /// Returns this stream as an effect that sends transformed results, with errors of one type. Other errors are issues.
  @_disfavoredOverload
  public func catchToEffect<T, E: Error>(_ transform: @escaping (Result<Output, E>) -> T) -> Effect<T> {
    Effect<T>(
      stream: map { transform(.success($0)) }.catch { error in
        guard let error = error as? E else { return Observable<T>.error(error) }
        return Observable<T>.just(transform(.failure(error)))
      })
  }

  /// Returns this stream as an effect that sends nothing.
  public func fireAndForget<NewOutput>(outputType: NewOutput.Type = NewOutput.self) -> Effect<NewOutput> {
    Effect<NewOutput>(stream: eraseToAnyPublisher().compactMap { _ in NewOutput?.none })
  }
}
