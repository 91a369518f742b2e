internal import IssueReporting
internal import Synchronization

/// The answer of a key to ``SharedReaderKey/load(context:continuation:)``, given exactly once.
public struct LoadContinuation<Value>: Sendable {
  private let answer: Answer<Value?>

  init(place: IssueLocation, _ callback: @escaping @Sendable (Result<Value?, any Error>) -> Void) {
    answer = Answer(of: "load", place: place, callback)
  }

  /// The value was found.
  public func resume(returning value: Value) { answer.give(.success(value)) }

  /// There is no value: the reference gets its initial one, or keeps its value if `load()` was called.
  public func resumeReturningInitialValue() { answer.give(.success(nil)) }

  /// Loading failed: the reference keeps its value and has a load error.
  public func resume(throwing error: any Error) { answer.give(.failure(error)) }

  /// The value was found, or there is none, or loading failed.
  public func resume(with result: Result<Value?, any Error>) { answer.give(result) }
}

/// The answer of a key to ``SharedKey/save(_:context:continuation:)``, given exactly once.
public struct SaveContinuation: Sendable {
  private let answer: Answer<Void>

  init(place: IssueLocation, _ callback: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    answer = Answer(of: "save", place: place, callback)
  }

  /// The value was saved.
  public func resume() { answer.give(.success(())) }

  /// Saving failed.
  public func resume(throwing error: any Error) { answer.give(.failure(error)) }

  /// The value was saved, or saving failed.
  public func resume(with result: Result<Void, any Error>) { answer.give(result) }
}

/// A key dropped its continuation without an answer.
public struct SharedContinuationDropped: Error, Hashable {
  /// `load` or `save`.
  public let operation: String
}

/// A callback to be called exactly once; a second call or a missing one is reported.
private final class Answer<Value>: Sendable {
  private let operation: String
  private let place: IssueLocation
  private let callback: Guarded<(@Sendable (Result<Value, any Error>) -> Void)?>

  init(
    of operation: String, place: IssueLocation, _ callback: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    self.operation = operation
    self.place = place
    self.callback = Guarded(callback)
  }

  deinit {
    guard let callback = take() else { return }
    reportIssue(
      "A shared key's ‘\(operation)’ ended without resuming its continuation. Resume it exactly once.", at: place)
    callback(.failure(SharedContinuationDropped(operation: operation)))
  }

  func give(_ result: Result<Value, any Error>) {
    if let callback = take() { return callback(result) }
    reportIssue("A shared key's ‘\(operation)’ resumed its continuation twice. Resume it exactly once.", at: place)
  }

  private func take() -> (@Sendable (Result<Value, any Error>) -> Void)? {
    callback.withLock { callback in
      defer { callback = nil }
      return callback
    }
  }
}
