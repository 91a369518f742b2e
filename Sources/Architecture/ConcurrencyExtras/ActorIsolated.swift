/// A value protected by an actor, for asynchronous code that prefers suspension to locks.
///
/// ```swift
/// let calls = ActorIsolated(0)
/// await calls.withValue { $0 += 1 }
/// #expect(await calls.value == 1)
/// ```
///
/// ``LockIsolated`` does the same without suspension points, and is the better choice if both are suitable.
public actor ActorIsolated<Value> {
  /// The value.
  public var value: Value

  /// Creates a protected value.
  public init(_ value: @autoclosure @Sendable () throws -> Value) rethrows {
    self.value = try value()
  }

  /// Reads and changes the value atomically.
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

extension ActorIsolated where Value: Sendable {
  /// Reads and changes the value by an asynchronous operation.
  ///
  /// This is not atomic: the operation's value replaces changes that others make while it is suspended.
  @_disfavoredOverload
  public func withValue<Result: Sendable>(
    _ operation: @Sendable (inout Value) async throws -> Result
  ) async rethrows -> Result {
    var value = value
    defer { self.value = value }
    return try await operation(&value)
  }
}
