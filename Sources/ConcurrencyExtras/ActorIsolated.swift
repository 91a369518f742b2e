/// A value that an actor guards, for asynchronous code that would rather wait than lock.
///
/// ```swift
/// let calls = ActorIsolated(0)
/// await calls.withValue { $0 += 1 }
/// #expect(await calls.value == 1)
/// ```
///
/// ``LockIsolated`` does the same without suspension points, and is the better choice where either would do.
public actor ActorIsolated<Value> {
  /// The value.
  public var value: Value

  /// Creates a guarded value.
  public init(_ value: @autoclosure @Sendable () throws -> Value) rethrows {
    self.value = try value()
  }

  /// Reads and changes the value in one step.
  public func withValue<Result: Sendable>(
    _ operation: @Sendable (inout Value) throws -> Result
  ) rethrows -> Result {
    try operation(&value)
  }

  /// Replaces the value.
  public func setValue(_ newValue: @autoclosure @Sendable () throws -> Value) rethrows {
    value = try newValue()
  }
}
