extension Shared where Value: Sendable {
  /// The value now and after each change, for as long as somebody reads the sequence.
  ///
  /// Every change is delivered, in order, also one that leaves an equal value, as one of another part may.
  public var values: SharedValues<Value> { SharedValues(location: location) }

  /// Calls back with the value now, then after each change, until the subscription is dropped.
  ///
  /// - Parameter callback: Runs on the thread that made the change, outside of any lock; one call at a time.
  public func subscribe(_ callback: @escaping @Sendable (Value) -> Void) -> SharedSubscription {
    location.subscribe(callback)
  }
}

extension SharedReader where Value: Sendable {
  /// The value now and after each change, for as long as somebody reads the sequence.
  public var values: SharedValues<Value> { SharedValues(location: location) }

  /// Calls back with the value now, then after each change, until the subscription is dropped.
  ///
  /// - Parameter callback: Runs on the thread that made the change, outside of any lock; one call at a time.
  public func subscribe(_ callback: @escaping @Sendable (Value) -> Void) -> SharedSubscription {
    location.subscribe(callback)
  }
}

/// The values of a shared reference, one after the other.
public struct SharedValues<Value: Sendable>: AsyncSequence, Sendable {
  let location: any ReadableLocation<Value>

  /// Begins with the value now.
  public func makeAsyncIterator() -> AsyncStream<Value>.Iterator {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
    let subscription = location.subscribe { continuation.yield($0) }
    continuation.onTermination = { _ in subscription.cancel() }
    return stream.makeAsyncIterator()
  }
}
