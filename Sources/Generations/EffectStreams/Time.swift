public import CombineSchedulers
internal import ConcurrencyExtras

extension Publisher {
  /// Returns a stream that sends its events on a scheduler.
  public func receive<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> AnyPublisher<Output, Failure> {
    rescheduled { scheduler.schedule(options: options, $0) }
  }

  /// Returns a stream that sends its events after a delay.
  public func delay<S: Scheduler>(
    for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> AnyPublisher<Output, Failure> {
    rescheduled {
      scheduler.schedule(
        after: scheduler.now.advanced(by: interval), tolerance: tolerance ?? scheduler.minimumTolerance,
        options: options, $0)
    }
  }

  /// Returns a stream that starts on a scheduler.
  public func subscribe<S: Scheduler>(
    on scheduler: S, options: S.SchedulerOptions? = nil
  ) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      let begin = UncheckedSendable({ receive(observer: observer) })
      scheduler.schedule(options: options) { if !observer.isOver { begin.value() } }
    }
  }

  /// Returns a stream of the last value before each pause of a duration.
  public func debounce<S: Scheduler>(
    for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
  ) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      var (last, number): (Output?, Int) = (nil, 0)
      let lock = DeliveryLock()
      let pause = UncheckedSendable(
        lock.guarding { (of: Int) in
          guard of == number, let value = last else { return }
          last = nil
          observer.send(value)
        })
      receive(
        observer: observer.child(
          lock: lock,
          value: {
            (last, number) = ($0, number + 1)
            let current = number
            scheduler.schedule(
              after: scheduler.now.advanced(by: dueTime), tolerance: scheduler.minimumTolerance, options: options
            ) { pause.value(current) }
          },
          completion: { completion in
            if let value = last.take() { observer.send(value) }
            observer.send(completion: completion)
          }))
    }
  }

  private func rescheduled(
    _ schedule: @escaping (@escaping @Sendable () -> Void) -> Void
  ) -> AnyPublisher<Output, Failure> {
    AnyPublisher { observer in
      receive(
        observer: observer.child(
          value: {
            let value = UncheckedSendable($0)
            schedule { observer.send(value.value) }
          },
          completion: {
            let completion = UncheckedSendable($0)
            schedule { observer.send(completion: completion.value) }
          }))
    }
  }
}

extension AnyPublisher {
  /// Returns a stream of the scheduler's time at an interval.
  package static func timer<S: Scheduler>(
    every interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride?, on scheduler: S,
    options: S.SchedulerOptions?
  ) -> AnyPublisher where Output == S.SchedulerTimeType {
    AnyPublisher { observer in
      let now = UncheckedSendable({ scheduler.now })
      observer.keep(
        scheduler.schedule(
          after: scheduler.now.advanced(by: interval), interval: interval,
          tolerance: tolerance ?? scheduler.minimumTolerance, options: options
        ) { observer.send(now.value()) })
    }
  }
}
