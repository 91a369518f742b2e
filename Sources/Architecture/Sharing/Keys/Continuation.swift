internal import IssueReporting
internal import Synchronization

/// The answer of a key to ``SharedReaderKey/load(context:continuation:)``, given exactly once.
public struct LoadContinuation<Value>: Sendable {
  private let answer: Answer<Value?>

  /// Creates a continuation with a callback, for a key that loads another key's value.
  ///
  /// - Parameters:
  ///   - description: The name of the key, for the report of a continuation that is resumed twice or never.
  ///   - callback: Receives the value, nil if there is none, or the error.
  public init(
    _ description: @autoclosure @escaping @Sendable () -> String = "",
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    callback: @escaping @Sendable (Result<Value?, any Error>) -> Void
  ) {
    let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    answer = Answer(of: "load", key: description, place: place, callback)
  }

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
  /// Called by a `ChangeKey` when all values that it reports from now on contain the change.
  package var taken: @Sendable () -> Void = {}

  /// Creates a continuation with a callback, for a key that saves another key's value.
  ///
  /// - Parameters:
  ///   - description: The name of the key, for the report of a continuation that is resumed twice or never.
  ///   - callback: Receives the end of the save, or the error.
  public init(
    _ description: @autoclosure @escaping @Sendable () -> String = "",
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    callback: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    answer = Answer(of: "save", key: description, place: place, callback)
  }

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
  private let key: @Sendable () -> String
  private let place: IssueLocation
  private let callback: Guarded<(@Sendable (Result<Value, any Error>) -> Void)?>

  init(
    of operation: String, key: @escaping @Sendable () -> String = { "" }, place: IssueLocation,
    _ callback: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    (self.operation, self.key) = (operation, key)
    self.place = place
    self.callback = Guarded(callback)
  }

  deinit {
    guard let callback = take() else { return }
    reportIssue("\(name) ended without resuming its continuation. Resume it exactly once.", at: place)
    callback(.failure(SharedContinuationDropped(operation: operation)))
  }

  func give(_ result: Result<Value, any Error>) {
    if let callback = take() { return callback(result) }
    reportIssue("\(name) resumed its continuation twice. Resume it exactly once.", at: place)
  }

  private var name: String {
    let key = key()
    return "\(key.isEmpty ? "A shared key" : key)'s ‘\(operation)’"
  }

  private func take() -> (@Sendable (Result<Value, any Error>) -> Void)? {
    callback.withLock { callback in
      defer { callback = nil }
      return callback
    }
  }
}
