/// The receiver of a key's external changes.
public struct SharedSubscriber<Value>: Sendable {
  let callback: @Sendable (Result<Value?, any Error>) -> Void
  let loading: @Sendable (Bool) -> Void
  /// Lets the key load again, in sequence with pending saves; nil if the receiver is no reference.
  let sourceChanged: (@Sendable () -> Void)?
  var unavailable: (@Sendable (any Error) -> Void)?

  /// The source has a new value.
  public func yield(_ value: Value) { callback(.success(value)) }

  /// The source no longer has a value: the reference gets its initial one.
  public func yieldReturningInitialValue() { callback(.success(nil)) }

  /// The source cannot be read: the reference keeps its value and has a load error.
  public func yield(throwing error: any Error) { callback(.failure(error)) }

  /// The source has a new value, or none, or cannot be read.
  public func yield(with result: Result<Value?, any Error>) { callback(result) }

  /// A new value is being loaded, or no longer.
  public func yieldLoading(_ isLoading: Bool = true) { loading(isLoading) }

  /// The source cannot be reached at present: the reference keeps its value, is loading, and has a load error, which is
  /// not reported as an issue.
  package func yieldUnavailable(_ error: any Error) {
    if let unavailable { unavailable(error) } else { loading(true) }
  }

  /// The source may have changed: a reference loads again, and another receiver gets the result of `load`.
  func reload(_ load: (LoadContinuation<Value>) -> Void) {
    if let sourceChanged { return sourceChanged() }
    load(LoadContinuation { yield(with: $0) })
  }
}

extension SharedSubscriber {
  /// Creates a receiver with a callback, for a key that subscribes to another key's changes.
  ///
  /// - Parameters:
  ///   - callback: Receives each new value, nil if there is none any more, or an error.
  ///   - onLoading: Receives true when a new value is being loaded, and false when it no longer is.
  public init(
    callback: @escaping @Sendable (Result<Value?, any Error>) -> Void, onLoading: (@Sendable (Bool) -> Void)? = nil
  ) {
    self.init(callback: callback, loading: { onLoading?($0) }, sourceChanged: nil)
  }
}
