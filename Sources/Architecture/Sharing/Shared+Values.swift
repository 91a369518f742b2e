extension Shared where Value: Sendable {
  /// The current value, then the value after each change, as long as the sequence is read.
  ///
  /// Every change is delivered in order, even one that results in an equal value, such as a change of another part.
  public var values: SharedValues<Value> { SharedValues(location: location) }

  /// The same as ``values``, by the name of Combine's stream: `$count.publisher.sink { … }`.
  public var publisher: SharedValues<Value> { values }

  /// Calls `callback` with the current value, then after each change, until the subscription is released.
  ///
  /// - Parameter callback: Runs on the thread that made the change, outside any lock, one call at a time.
  public func subscribe(_ callback: @escaping @Sendable (Value) -> Void) -> SharedSubscription {
    location.subscribe(callback)
  }
}

extension SharedReader where Value: Sendable {
  /// The current value, then the value after each change, as long as the sequence is read.
  public var values: SharedValues<Value> { SharedValues(location: location) }

  /// The same as ``values``, by the name of Combine's stream: `$count.publisher.sink { … }`.
  public var publisher: SharedValues<Value> { values }

  /// Calls `callback` with the current value, then after each change, until the subscription is released.
  ///
  /// - Parameter callback: Runs on the thread that made the change, outside any lock, one call at a time.
  public func subscribe(_ callback: @escaping @Sendable (Value) -> Void) -> SharedSubscription {
    location.subscribe(callback)
  }
}

/// The successive values of a shared reference, in place of Combine's publisher of the same.
///
/// ```swift
/// return .publisher { state.$city.publisher.removeDuplicates().map(Action.cityChanged) }
/// ```
public struct SharedValues<Value: Sendable>: AsyncSequence, Sendable {
  /// Decides for each value of one subscription whether it is delivered.
  private typealias Filter = @Sendable (Value) -> Bool

  private let location: any ReadableLocation<Value>
  /// Creates the filter of a subscription; nil if all values are delivered.
  private let makeFilter: (@Sendable () -> Filter)?

  init(location: any ReadableLocation<Value>) {
    self.init(location, makeFilter: nil)
  }

  private init(_ location: any ReadableLocation<Value>, makeFilter: (@Sendable () -> Filter)?) {
    self.location = location
    self.makeFilter = makeFilter
  }

  /// The sequence itself, as the `values` of a publisher.
  public var values: Self { self }

  /// Calls `receiveValue` with the current value, then after each change, until the subscription is released: the same
  /// as `subscribe` of the share.
  public func sink(receiveValue: @escaping @Sendable (Value) -> Void) -> SharedSubscription {
    guard let filter = makeFilter?() else { return location.subscribe(receiveValue) }
    return location.subscribe { value in
      if filter(value) { receiveValue(value) }
    }
  }

  /// Creates an iterator that begins with the current value.
  public func makeAsyncIterator() -> AsyncStream<Value>.Iterator {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
    let subscription = sink { continuation.yield($0) }
    continuation.onTermination = { _ in subscription.cancel() }
    return stream.makeAsyncIterator()
  }

  /// Leaves out the first values; `dropFirst()` leaves out the current one.
  public func dropFirst(_ count: Int = 1) -> Self {
    filtered {
      let remaining = Guarded(count)
      return { _ in
        remaining.withLock { remaining in
          if remaining > 0 { remaining -= 1 } else { return true }
          return false
        }
      }
    }
  }

  /// Leaves out values that are the same as the one before.
  public func removeDuplicates(by isSame: @escaping @Sendable (Value, Value) -> Bool) -> Self {
    filtered {
      let last = Guarded<Value?>(nil)
      return { value in
        last.withLock { last in
          if let last, isSame(last, value) { return false }
          last = value
          return true
        }
      }
    }
  }

  /// The same values, for an effect: the store receives actions on the main actor, whatever the scheduler.
  ///
  /// The result has no `sink`, whose callbacks would not run on the scheduler.
  public func receive<Scheduler>(on _: Scheduler) -> AsyncMapSequence<Self, Value> {
    map { $0 }
  }

  private func filtered(_ makeNext: @escaping @Sendable () -> Filter) -> Self {
    guard let makeFilter else { return Self(location, makeFilter: makeNext) }
    return Self(location) {
      let (first, next) = (makeFilter(), makeNext())
      return { first($0) && next($0) }
    }
  }
}

extension SharedValues where Value: Equatable {
  /// Leaves out values that are equal to the one before.
  public func removeDuplicates() -> Self { removeDuplicates(by: ==) }
}
