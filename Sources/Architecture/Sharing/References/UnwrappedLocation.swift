internal import IssueReporting

/// The value inside a shared optional.
///
/// Once the optional is nil, it keeps the last value, and changes remain within this location: the feature that shows it
/// is about to disappear.
final class UnwrappedLocation<Value>: Location {
  private let optional: any Location<Value?>
  private let last: Guarded<Value>

  init?(_ optional: any Location<Value?>) {
    guard let value = optional.read() else { return nil }
    self.optional = optional
    last = Guarded(value)
  }

  var root: any Reference { optional.root }
  func read() -> Value { last.remember(optional.read()) }
  func readCurrent() -> Value { last.remember(optional.readCurrent()) }

  func withLock<R>(at place: IssueLocation, _ body: (inout Value) throws -> R) rethrows -> R {
    try optional.withLock(at: place) { optional in
      guard var value = optional else {
        var gone = last.remember(nil)
        defer { _ = last.remember(gone) }
        return try body(&gone)
      }
      optional = nil
      defer {
        optional = value
        _ = last.remember(value)
      }
      return try body(&value)
    }
  }

  func subscribe(_ callback: @escaping @Sendable (Value) -> Void) -> SharedSubscription {
    optional.subscribe { if let value = $0 { callback(value) } }
  }
}

/// The value inside an optional that is shared for reading; after that becomes nil, the last value.
final class ReadOnlyUnwrappedLocation<Value>: ReadableLocation {
  private let optional: any ReadableLocation<Value?>
  private let last: Guarded<Value>

  init?(_ optional: any ReadableLocation<Value?>) {
    guard let value = optional.read() else { return nil }
    self.optional = optional
    last = Guarded(value)
  }

  var root: any Reference { optional.root }
  func read() -> Value { last.remember(optional.read()) }
  func readCurrent() -> Value { last.remember(optional.readCurrent()) }

  func subscribe(_ callback: @escaping @Sendable (Value) -> Void) -> SharedSubscription {
    optional.subscribe { if let value = $0 { callback(value) } }
  }
}

extension Guarded {
  /// Stores a value unless it is nil, and returns the stored value.
  fileprivate func remember(_ value: State?) -> State {
    withLock { last in
      if let value { last = value }
      return last
    }
  }
}
