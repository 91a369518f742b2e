/// The receiver of a key's external changes.
public struct SharedSubscriber<Value>: Sendable {
  let callback: @Sendable (Result<Value?, any Error>) -> Void
  let loading: @Sendable (Bool) -> Void
  /// Lets the key load again, in sequence with pending saves.
  let sourceChanged: @Sendable () -> Void

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
}
