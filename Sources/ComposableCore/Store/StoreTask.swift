/// The effects of one `send`, to wait for or to cancel.
@MainActor
public struct StoreTask: Sendable {
  private let completion: Completion?
  private let onCancel: (@MainActor @Sendable () -> Void)?

  /// Creates a task that has already ended.
  package init() {
    completion = nil
    onCancel = nil
  }

  /// Creates a task that ends with `completion`.
  package init(completion: Completion, onCancel: @escaping @MainActor @Sendable () -> Void) {
    self.completion = completion
    self.onCancel = onCancel
  }

  /// Waits until the action's effects, and those of the actions that they send, have ended.
  ///
  /// Cancelling the waiting task cancels the effects. With a remote store, it waits until the hub has applied or
  /// rejected the action; ``taken()`` reports which.
  public func finish() async {
    try? await taken()
  }

  /// Waits like ``finish()``.
  ///
  /// - Throws: With a remote store, the reason for which the hub or the client rejected the action. In process,
  ///   nothing.
  public func taken() async throws {
    let onCancel = onCancel
    try await withTaskCancellationHandler {
      try await completion?.wait()
    } onCancel: {
      Task { @MainActor in onCancel?() }
    }
  }

  /// Cancels the effects that the action started, and waits until they have ended.
  public func cancel() async {
    completion?.isCancelled = true
    if !isOver { onCancel?() }
    try? await completion?.wait()
  }

  /// True if ``cancel()`` was called.
  public var isCancelled: Bool { completion?.isCancelled ?? true }

  /// True if no effects of the action are running any more.
  public var isOver: Bool { completion?.isOver ?? true }

  /// The end of some work, with or without an error, for which any number of tasks can wait.
  @MainActor
  package final class Completion {
    fileprivate var isCancelled = false
    private var result: Result<Void, any Error>?
    private var waiting: [CheckedContinuation<Void, any Error>] = []

    package init() {}

    package var isOver: Bool { result != nil }

    /// Resumes the waiting tasks; a second call has no effect.
    package func complete(_ result: Result<Void, any Error>) {
      guard self.result == nil else { return }
      self.result = result
      for continuation in waiting { continuation.resume(with: result) }
      waiting = []
    }

    package func wait() async throws {
      if let result { return try result.get() }
      try await withCheckedThrowingContinuation { waiting.append($0) }
    }
  }
}
