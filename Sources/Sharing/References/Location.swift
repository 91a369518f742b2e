internal import IssueReporting

/// Where a shared value is found: a reference, or a part of one.
protocol ReadableLocation<Value>: AnyObject, Sendable {
  associatedtype Value

  /// The reference at the bottom.
  var root: any Reference { get }

  /// The value now; Observation and the snapshots of a test see the read.
  func read() -> Value

  /// The value now, whatever a test asserts.
  func readCurrent() -> Value

  /// Calls back with the value now, then after each change, in order, one call at a time.
  func subscribe(_ callback: @escaping @Sendable (Value) -> Void) -> SharedSubscription
}

/// A place whose value can be changed.
protocol Location<Value>: ReadableLocation {
  /// Changes the value under the lock of the reference at the bottom.
  func withLock<R>(at place: IssueLocation, _ body: (inout Value) throws -> R) rethrows -> R
}

/// A whole reference, seen without the type of its value.
protocol Reference: AnyObject, Sendable {
  var isLoading: Bool { get }
  var loadError: (any Error)? { get }
  var saveError: (any Error)? { get }
  /// The tracker of a test that recorded a change of it.
  var changeTracker: SharedChangeTracker? { get }
  func load() async throws
  func save() async throws
  /// Tells observers of the value to read it again.
  func touch()
}
