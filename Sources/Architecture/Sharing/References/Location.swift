internal import IssueReporting

/// The location of a shared value: a reference, or a part of one.
protocol ReadableLocation<Value>: AnyObject, Sendable {
  associatedtype Value

  /// The underlying reference.
  var root: any Reference { get }

  /// The current value. Observation and the snapshots of a test track the read.
  func read() -> Value

  /// The current value, regardless of a test's assertions.
  func readCurrent() -> Value

  /// Calls `callback` with the current value, then after each change, in order, one call at a time.
  func subscribe(_ callback: @escaping @Sendable (Value) -> Void) -> SharedSubscription
}

/// A location with a mutable value.
protocol Location<Value>: ReadableLocation {
  /// Changes the value under the lock of the underlying reference.
  func withLock<R>(at place: IssueLocation, _ body: (inout Value) throws -> R) rethrows -> R
}

/// A whole reference, without the type of its value.
protocol Reference: AnyObject, Sendable {
  /// The location where it was created, for issues without a location of their own.
  var place: IssueLocation { get }
  var isLoading: Bool { get }
  var loadError: (any Error)? { get }
  var saveError: (any Error)? { get }
  /// The test's tracker that recorded a change of it.
  var changeTracker: SharedChangeTracker? { get }
  func load() async throws
  func save() async throws
  /// Tracks a read of the reference itself; ``touch()`` notifies its observers.
  func access()
  /// Notifies observers to read the value again.
  func touch()
}
