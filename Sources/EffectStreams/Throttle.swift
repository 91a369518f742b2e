package import CombineSchedulers
internal import ConcurrencyExtras
package import Reducers
internal import Synchronization

extension Publisher {
  /// Lets at most one value of the streams with an id through in each interval, within the store that runs them.
  ///
  /// - Parameter latest: Whether the last value of an interval is kept, else the first.
  package func throttle<S: Scheduler>(
    id: CancelID, for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> AnyPublisher<Output, Failure> {
    AnyPublisher<Output, Failure> { observer in
      let key = ThrottledStreams.Key(id: id, context: observer.context)
      receive(on: scheduler)
        .flatMap { value in
          let now = scheduler.now
          guard let last = ThrottledStreams[key], let start = last.start as? S.SchedulerTimeType,
            start.distance(to: now) < interval
          else {
            ThrottledStreams[key] = ThrottledStreams.Interval(start: now, held: nil)
            return Just(value).setFailureType(to: Failure.self)
          }
          let held = latest ? value : last.held as? Output ?? value
          ThrottledStreams[key]?.held = UncheckedSendable(held).value
          return Just(held).setFailureType(to: Failure.self)
            .delay(for: now.distance(to: start.advanced(by: interval)), scheduler: scheduler)
            .handleEvents(receiveOutput: { _ in
              ThrottledStreams[key] = ThrottledStreams.Interval(start: scheduler.now, held: nil)
            })
        }
        .cancellable(id: id, cancelInFlight: true)
        .receive(observer: observer)
    }
  }
}

/// The intervals of the throttled streams of all stores.
private enum ThrottledStreams {
  struct Key: Hashable, Sendable {
    let id: CancelID
    let store: ObjectIdentifier?

    init(id: CancelID, context: EffectContext?) {
      self.id = id
      store = context?.storeIdentity
    }
  }

  /// An interval that has begun.
  struct Interval {
    let start: Any
    var held: Any?
  }

  private static let intervals = Mutex<[Key: UncheckedSendable<Interval>]>([:])

  static subscript(key: Key) -> Interval? {
    get { intervals.withLock { $0[key]?.value } }
    set {
      let newValue = newValue.map { UncheckedSendable($0) }
      intervals.withLock { $0[key] = newValue }
    }
  }
}
