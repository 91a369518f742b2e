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

  /// Waits until everything that the action set going is over.
  ///
  /// In process that is when its last effect has finished; with a remote store, when the hub has applied the
  /// action.
  /// - Throws: In process nothing; with a remote store, why the hub or the client refused the action.
  public func finish() async throws {
    try await completion?.wait()
  }

  /// Cancels the effects that the action started.
  public func cancel() {
    isOver || onCancel == nil ? () : onCancel?()
  }

  /// Whether nothing runs any more on behalf of the action.
  public var isOver: Bool { completion?.isOver ?? true }

  /// Something that will be over, well or badly, and can be waited for by any number of tasks.
  @MainActor
  package final class Completion {
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
