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

/// The successive values of a shared reference.
public struct SharedValues<Value: Sendable>: AsyncSequence, Sendable {
  let location: any ReadableLocation<Value>

  /// The sequence itself, as the `values` of a publisher.
  public var values: Self { self }

  /// Calls `receiveValue` with the current value, then after each change, until the subscription is released: the same
  /// as `subscribe` of the share.
  public func sink(receiveValue: @escaping @Sendable (Value) -> Void) -> SharedSubscription {
    location.subscribe(receiveValue)
  }

  /// Creates an iterator that begins with the current value.
  public func makeAsyncIterator() -> AsyncStream<Value>.Iterator {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
    let subscription = location.subscribe { continuation.yield($0) }
    continuation.onTermination = { _ in subscription.cancel() }
    return stream.makeAsyncIterator()
  }
}
