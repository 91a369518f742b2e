/// Whom a key tells of changes from outside.
public struct SharedSubscriber<Value>: Sendable {
  let callback: @Sendable (Result<Value?, any Error>) -> Void
  let loading: @Sendable (Bool) -> Void
  /// Has the key load again, in step with changes that are on their way to it.
  let sourceChanged: @Sendable () -> Void

  /// The source has a new value.
  public func yield(_ value: Value) { callback(.success(value)) }

  /// The source has no value any more: the reference has its initial one.
  public func yieldReturningInitialValue() { callback(.success(nil)) }

  /// The source cannot be read: the reference keeps its value, and has a load error.
  public func yield(throwing error: any Error) { callback(.failure(error)) }

  /// The source has a new value, or none any more, or cannot be read.
  public func yield(with result: Result<Value?, any Error>) { callback(result) }

  /// A new value is on its way, or is no longer.
  public func yieldLoading(_ isLoading: Bool = true) { loading(isLoading) }
}
