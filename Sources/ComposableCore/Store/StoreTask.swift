/// What one `send` set going: wait for it, or cancel it.
@MainActor
public struct StoreTask: Sendable {
  private let completion: Completion?
  private let onCancel: (@MainActor @Sendable () -> Void)?

  /// A task that is over already.
  package init() {
    completion = nil
    onCancel = nil
  }

  /// A task that is over when `completion` is.
  package init(completion: Completion, onCancel: @escaping @MainActor @Sendable () -> Void) {
    self.completion = completion
    self.onCancel = onCancel
  }

  /// Waits until everything that the action set going is over: its effects, and those of the actions they send.
  ///
  /// Cancelling the task that waits cancels the effects. With a remote store it waits until the hub has applied or
  /// refused the action; ``taken()`` tells which.
  public func finish() async {
    try? await taken()
  }

  /// Waits like ``finish()``.
  ///
  /// - Throws: In process nothing; with a remote store, why the hub or the client refused the action.
  public func taken() async throws {
    let onCancel = onCancel
    try await withTaskCancellationHandler {
      try await completion?.wait()
    } onCancel: {
      Task { @MainActor in onCancel?() }
    }
  }

  /// Cancels the effects that the action started, and waits until they are over.
  public func cancel() async {
    completion?.isCancelled = true
    if !isOver { onCancel?() }
    try? await completion?.wait()
  }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { completion?.isCancelled ?? true }

  /// Whether nothing runs any more on behalf of the action.
  public var isOver: Bool { completion?.isOver ?? true }

  /// Something that will be over, well or badly, and can be waited for by any number of tasks.
  @MainActor
  package final class Completion {
    fileprivate var isCancelled = false
    private var result: Result<Void, any Error>?
    private var waiting: [CheckedContinuation<Void, any Error>] = []

    package init() {}

    package var isOver: Bool { result != nil }

    /// Ends the waiting; a second call changes nothing.
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
