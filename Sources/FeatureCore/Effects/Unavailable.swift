// Without these, a missing operation of an effect is reported far away, as an invalid `Reduce`.

extension Effect {
  /// An effect of a Combine publisher.
  @available(*, unavailable, message: "Combine is not available on Linux: use 'Effect.sequence' or 'Effect.run'")
  @_disfavoredOverload
  public static func publisher<P>(_ createPublisher: () -> P) -> Effect { .none }

  /// Sends one action; removed in 1.0.
  @available(*, unavailable, message: "use 'Effect.run' and send the action")
  public static func task(
    priority: TaskPriority? = nil, operation: @escaping @Sendable () async throws -> Action,
    catch handler: (@Sendable (any Error) async -> Action)? = nil
  ) -> Effect { .none }

  /// Sends no action; removed in 1.0.
  @available(*, unavailable, message: "use 'Effect.run'")
  public static func fireAndForget(
    priority: TaskPriority? = nil, _ work: @escaping @Sendable () async throws -> Void
  ) -> Effect { .none }

  /// Sends an action at once; removed in 1.0.
  @available(*, unavailable, message: "use 'Effect.send'")
  public init(value: Action) { self = .none }

  /// Repeats on a scheduler; removed in 1.0.
  @available(*, unavailable, message: "use 'clock.timer(interval:)' in 'Effect.run'")
  public static func timer<Interval, S>(
    id: some Hashable, every interval: Interval, tolerance: Interval? = nil, on scheduler: S
  ) -> Effect { .none }

  /// Starts later; removed in 1.0.
  @available(*, unavailable, message: "sleep on a clock in 'Effect.run'")
  public func deferred<Interval, S>(for dueTime: Interval, scheduler: S) -> Effect { self }

  /// Combine's `delay`.
  @available(*, unavailable, message: "Combine is not available on Linux: sleep on a clock in 'Effect.run'")
  public func delay<Interval, S>(for interval: Interval, scheduler: S) -> Effect { self }

  /// Combine's `receive(on:)`.
  @available(*, unavailable, message: "actions of effects are always delivered on the main actor")
  public func receive<S>(on scheduler: S) -> Effect { self }

  /// Combine's type erasure.
  @available(*, unavailable, message: "an effect is not a publisher on Linux: omit the call")
  public func eraseToEffect() -> Effect { self }

  /// Types as ids; removed in 1.0.
  @available(*, unavailable, message: "an id is a value, such as a case of 'enum CancelID'")
  public func cancellable(id: Any.Type, cancelInFlight: Bool = false) -> Effect { self }

  /// Types as ids; removed in 1.0.
  @available(*, unavailable, message: "an id is a value, such as a case of 'enum CancelID'")
  public static func cancel(id: Any.Type) -> Effect { .none }

  /// Cancels several ids; removed in 1.0.
  @available(*, unavailable, message: "merge an 'Effect.cancel(id:)' for each id")
  public static func cancel<IDs: Sequence>(ids: IDs) -> Effect { .none }
}

/// The name of effects before 1.0.
@available(*, deprecated, renamed: "Effect")
public typealias EffectTask<Action> = Effect<Action>

/// The name of reducers before 1.0.
@available(*, deprecated, renamed: "Reducer")
public typealias ReducerProtocol = Reducer

/// The name of a reducer's reducers before 1.0.
@available(*, deprecated, renamed: "ReducerOf")
public typealias ReducerProtocolOf<R: Reducer> = Reducer<R.State, R.Action>
