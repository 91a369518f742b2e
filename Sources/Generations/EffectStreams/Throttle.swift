package import CombineSchedulers
internal import ConcurrencyExtras
package import FeatureCore
internal import Synchronization

extension Publisher {
  /// Returns a stream that sends at most one value per interval, shared by all streams of the store with the id.
  ///
  /// - Parameter latest: True to send the last value of an interval, false to send the first.
  package func throttle<S: Scheduler>(
    id: CancelID, for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
  ) -> AnyPublisher<Output, Failure> {
    AnyPublisher<Output, Failure> { observer in
      let key = ThrottledStreams.Key(id: id, context: observer.context)
      receive(on: scheduler)
        .flatMap { value in
          let now = scheduler.now
          guard let last = ThrottledStreams[key], let start = last.start as? S.SchedulerTimeType, start <= now,
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
    /// Nil outside stores.
    let store: ObjectIdentifier?
    private let owner: Owner

    init(id: CancelID, context: EffectContext?) {
      self.id = id
      store = context.map { ObjectIdentifier($0.store) }
      owner = Owner(context?.store)
    }

    /// True if the store was released; another one may have its address.
    var isOver: Bool { store != nil && owner.store == nil }

    static func == (lhs: Key, rhs: Key) -> Bool { lhs.id == rhs.id && lhs.store == rhs.store }
    func hash(into hasher: inout Hasher) {
      hasher.combine(id)
      hasher.combine(store)
    }
  }

  /// A weak reference to a store.
  private final class Owner: Sendable {
    private let reference: UncheckedSendable<Reference>
    var store: AnyObject? { reference.value.store }

    init(_ store: AnyObject?) {
      reference = UncheckedSendable(Reference(store: store))
    }

    struct Reference {
      weak let store: AnyObject?
    }
  }

  /// An interval in progress.
  struct Interval {
    let start: Any
    var held: Any?
  }

  private static let intervals = Mutex<[Key: UncheckedSendable<Interval>]>([:])

  static subscript(key: Key) -> Interval? {
    get {
      intervals.withLock { intervals in
        for old in intervals.keys where old.isOver { intervals[old] = nil }
        return intervals[key]?.value
      }
    }
    set {
      let newValue = newValue.map { UncheckedSendable($0) }
      intervals.withLock { $0[key] = newValue }
    }
  }
}
