internal import EffectStreams
internal import FeatureCore

extension Effect {
  /// Returns a cancellable effect with an id that is unique within its store.
  ///
  /// - Parameters:
  ///   - id: The id.
  ///   - cancelInFlight: True to cancel running effects with the id first.
  public func cancellable(id: AnyHashable, cancelInFlight: Bool = false) -> Effect {
    let id = cancelID(id)
    guard !isNone else { return .none }
    if let tree { return Effect(.tree(.cancellable(tree, id, cancelInFlight: cancelInFlight))) }
    return Effect(.stream(eraseToAnyPublisher().cancellable(id: id, cancelInFlight: cancelInFlight)))
  }

  /// Returns a cancellable effect whose id is a type.
  public func cancellable(id: Any.Type, cancelInFlight: Bool = false) -> Effect {
    cancellable(id: ObjectIdentifier(id), cancelInFlight: cancelInFlight)
  }

  /// Cancels the effects with an id.
  public static func cancel(id: AnyHashable) -> Effect { Effect(.tree(.cancel(cancelID(id)))) }

  /// Cancels the effects whose id is a type.
  public static func cancel(id: Any.Type) -> Effect { .cancel(id: ObjectIdentifier(id)) }

  /// Cancels the effects with one of several ids.
  public static func cancel(ids: [AnyHashable]) -> Effect { .merge(ids.map { .cancel(id: $0) }) }

  /// Cancels the effects whose id is one of several types.
  public static func cancel(ids: [Any.Type]) -> Effect { .merge(ids.map { .cancel(id: $0) }) }

  /// Cancels the effects with one of several ids.
  public static func cancel(ids: AnyHashable...) -> Effect { .cancel(ids: ids) }

  /// Returns an effect that starts after a pause in which no other effect with the id was debounced.
  public func debounce<S: Scheduler>(
    id: AnyHashable, for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Effect {
    deferred(for: dueTime, scheduler: scheduler, options: options).cancellable(id: id, cancelInFlight: true)
  }

  /// Returns an effect that starts after a pause in which no other effect whose id is the type was debounced.
  public func debounce<S: Scheduler>(
    id: Any.Type, for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Effect {
    debounce(id: ObjectIdentifier(id), for: dueTime, scheduler: scheduler, options: options)
  }

  /// Returns an effect that sends at most one value per interval, shared by all effects with the id.
  ///
  /// - Parameter latest: True to send the last value of an interval, false to send the first.
  public func throttle<S: Scheduler>(
    id: AnyHashable, for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> Effect {
    guard !isNone else { return .none }
    return eraseToAnyPublisher().throttle(id: cancelID(id), for: interval, scheduler: scheduler, latest: latest)
      .eraseToEffect()
  }

  /// Returns an effect that sends at most one value per interval, shared by all effects whose id is the type.
  public func throttle<S: Scheduler>(
    id: Any.Type, for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> Effect {
    throttle(id: ObjectIdentifier(id), for: interval, scheduler: scheduler, latest: latest)
  }
}

extension Effect where Failure == Never {
  /// Creates an effect that sends the scheduler's time at an interval until it is cancelled.
  public static func timer<S: Scheduler>(
    id: AnyHashable, every interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil,
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Effect where S.SchedulerTimeType == Output {
    AnyPublisher.timer(every: interval, tolerance: tolerance, on: scheduler, options: options).eraseToEffect()
      .cancellable(id: id, cancelInFlight: true)
  }

  /// Creates an effect that sends the scheduler's time at an interval until it is cancelled.
  public static func timer<S: Scheduler>(
    id: Any.Type, every interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil,
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> Effect where S.SchedulerTimeType == Output {
    .timer(id: ObjectIdentifier(id), every: interval, tolerance: tolerance, on: scheduler, options: options)
  }
}
