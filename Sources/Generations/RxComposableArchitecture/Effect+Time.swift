internal import CombineSchedulers
internal import EffectStreams
public import FeatureCore

extension Effect {
  /// Returns a cancellable effect with an id that is unique within its store.
  @_disfavoredOverload
  public func cancellable(id: AnyHashable, cancelInFlight: Bool = false) -> Effect {
    guard let tree else { return .none }
    return Effect(tree: .cancellable(tree, cancelID(id), cancelInFlight: cancelInFlight))
  }

  /// Returns a cancellable effect whose id is a type.
  public func cancellable(id: Any.Type, cancelInFlight: Bool = false) -> Effect {
    cancellable(id: ObjectIdentifier(id), cancelInFlight: cancelInFlight)
  }

  /// Cancels the effects with an id.
  @_disfavoredOverload
  public static func cancel(id: AnyHashable) -> Effect { Effect(tree: .cancel(cancelID(id))) }

  /// Cancels the effects whose id is a type.
  public static func cancel(id: Any.Type) -> Effect { .cancel(id: ObjectIdentifier(id)) }

  /// Cancels the effects with one of several ids.
  public static func cancel(ids: [any Hashable & Sendable]) -> Effect {
    .merge(ids.map { Effect(tree: .cancel(CancelID($0))) })
  }

  /// Cancels the effects with one of several ids.
  @_disfavoredOverload
  public static func cancel(ids: [AnyHashable]) -> Effect { .merge(ids.map { Effect(tree: .cancel(cancelID($0))) }) }

  /// Cancels the effects whose id is one of several types.
  public static func cancel(ids: [Any.Type]) -> Effect { .merge(ids.map { .cancel(id: $0) }) }

  /// Cancels the effects with one of several ids.
  public static func cancel(ids: any Hashable & Sendable...) -> Effect { .cancel(ids: ids) }

  /// Returns an effect that starts after a delay.
  public func deferred(for dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Effect {
    guard tree != nil else { return .none }
    return Observable<Void>.just(()).delay(dueTime, scheduler: scheduler).flatMap { self }.eraseToEffect()
  }

  /// Returns an effect that starts after a pause in which no other effect with the id was debounced.
  public func debounce(
    id: some Hashable & Sendable, for dueTime: RxTimeInterval, scheduler: any SchedulerType
  ) -> Effect {
    deferred(for: dueTime, scheduler: scheduler).cancellable(id: id, cancelInFlight: true)
  }

  /// Returns an effect that starts after a pause in which no other effect whose id is the type was debounced.
  public func debounce(id: Any.Type, for dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Effect {
    debounce(id: ObjectIdentifier(id), for: dueTime, scheduler: scheduler)
  }

  /// Returns an effect that sends at most one value per interval, shared by all effects with the id.
  ///
  /// - Parameter latest: True to send the last value of an interval, false to send the first.
  public func throttle(
    id: some Hashable & Sendable, for interval: RxTimeInterval, scheduler: any SchedulerType, latest: Bool
  ) -> Effect {
    guard let tree else { return .none }
    return Effect(
      stream: tree.publisher.throttle(
        id: CancelID(id), for: .init(interval), scheduler: scheduler.queue, latest: latest))
  }

  /// Returns an effect that sends at most one value per interval, shared by all effects whose id is the type.
  public func throttle(
    id: Any.Type, for interval: RxTimeInterval, scheduler: any SchedulerType, latest: Bool
  ) -> Effect {
    throttle(id: ObjectIdentifier(id), for: interval, scheduler: scheduler, latest: latest)
  }
}

extension Effect where Action == Int {
  /// Creates an effect that sends 0, 1, 2 … at an interval until it is cancelled.
  public static func timer(
    id: some Hashable & Sendable, every interval: RxTimeInterval, on scheduler: any SchedulerType
  ) -> Effect {
    ticks(every: interval, on: scheduler).cancellable(id: id, cancelInFlight: true)
  }

  /// Creates an effect that sends 0, 1, 2 … at an interval; it is cancelled by a type as its id.
  public static func timer(
    id: Any.Type, every interval: RxTimeInterval, on scheduler: any SchedulerType
  ) -> Effect {
    ticks(every: interval, on: scheduler).cancellable(id: id, cancelInFlight: true)
  }

  private static func ticks(every interval: RxTimeInterval, on scheduler: any SchedulerType) -> Effect {
    let ticks = AnyPublisher<DispatchQueue.SchedulerTimeType, Never>.timer(
      every: .init(interval), tolerance: nil, on: scheduler.queue, options: nil)
    return Effect(stream: ticks.scan(-1) { count, _ in count + 1 })
  }
}
