internal import ConcurrencyExtras
internal import Dependencies
public import EffectStreams
public import Reducers

/// Effects are streams, whose errors have no type. An error that reaches a store is an issue.
extension Effect: Publisher {
  /// The values of the stream.
  public typealias Output = Action
  /// Any error.
  public typealias Failure = any Error

  /// Begins to send values to an observer.
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

  /// The effect as a stream.
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

  /// Creates an effect of a callback that is called once.
  public static func future(_ attemptToFulfill: @escaping (@escaping (Result<Action, any Error>) -> Void) -> Void)
    -> Effect
  {
    let dependencies = withEscapedDependencies { $0 }
    return Effect(stream: Deferred { dependencies.yield { Future(attemptToFulfill) } })
  }

  /// Creates an effect of a result, which is computed when the effect begins.
  public static func result(_ attemptToFulfill: @escaping () -> Result<Action, any Error>) -> Effect {
    let dependencies = withEscapedDependencies { $0 }
    return Effect(stream: Deferred { dependencies.yield { attemptToFulfill().publisher } })
  }

  /// Creates an effect of synchronous work that may fail.
  public static func catching(_ work: @escaping () throws -> Action) -> Effect { .result { Result(catching: work) } }

  /// Creates an effect that sends any number of values to an observer. What `work` returns is disposed of at the end.
  public static func run(_ work: @escaping (AnyObserver<Action>) -> any Disposable) -> Effect {
    let dependencies = withEscapedDependencies { $0 }
    return Effect(stream: Observable.create { observer in dependencies.yield { work(observer) } })
  }

  /// Does work that sends nothing.
  public static func fireAndForget(_ work: @escaping () -> Void) -> Effect {
    let dependencies = withEscapedDependencies { $0 }
    return Effect(
      stream: AnyPublisher<Action, any Error>(begin: { observer in
        dependencies.yield { work() }
        observer.send(completion: .finished)
      }))
  }

  /// Does asynchronous work that sends nothing.
  @_disfavoredOverload
  public static func fireAndForget(
    priority: TaskPriority? = nil, _ work: @escaping @Sendable () async throws -> Void
  ) -> Effect {
    .run(priority: priority) { _ in try? await work() }
  }

  /// Creates an effect of asynchronous work that sends one value.
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

  /// The effect itself.
  public func eraseToEffect() -> Effect { self }

  /// The values of other effects, at the same time.
  public func flatMap<Other>(_ transform: @escaping (Action) -> Effect<Other>) -> Effect<Other> {
    Effect<Other>(stream: eraseToAnyPublisher().flatMap(transform))
  }
}

extension Send {
  /// Sends an action that no other task has.
  fileprivate func callAsFunction(_ action: UncheckedSendable<Action>) { self(action.value) }
}

extension Publisher {
  /// This stream as an effect.
  @_disfavoredOverload
  public func eraseToEffect() -> Effect<Output> { Effect(stream: self) }

  /// This stream as an effect with other values.
  public func eraseToEffect<T>(_ transform: @escaping (Output) -> T) -> Effect<T> { Effect<T>(stream: map(transform)) }

  /// This stream as an effect that sends errors as values.
  public func catchToEffect() -> Effect<Result<Output, any Error>> {
    Effect<Result<Output, any Error>>(stream: mapError { $0 as any Error }.results())
  }

  /// This stream as an effect that sends errors as values, transformed.
  public func catchToEffect<T>(_ transform: @escaping (Result<Output, any Error>) -> T) -> Effect<T> {
    catchToEffect().eraseToEffect(transform)
  }

  /// This stream as an effect that sends errors of a type as values, transformed. Errors of other types are issues.
  @_disfavoredOverload
  public func catchToEffect<T, E: Error>(_ transform: @escaping (Result<Output, E>) -> T) -> Effect<T> {
    Effect<T>(
      stream: map { transform(.success($0)) }.catch { error in
        guard let error = error as? E else { return Observable<T>.error(error) }
        return Observable<T>.just(transform(.failure(error)))
      })
  }

  /// This stream as an effect that sends nothing.
  public func fireAndForget<NewOutput>(outputType: NewOutput.Type = NewOutput.self) -> Effect<NewOutput> {
    Effect<NewOutput>(stream: eraseToAnyPublisher().compactMap { _ in NewOutput?.none })
  }
}
