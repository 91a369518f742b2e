internal import ConcurrencyExtras
internal import Synchronization

/// The effects of one `send`, to wait for or to cancel.
public struct StoreTask: Hashable, Sendable {
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

  /// Waits until the action's effects, and those of the actions that they send, have ended or are cancelled.
  ///
  /// Cancelling the waiting task cancels the effects. With a remote store, it waits until the hub has applied or
  /// rejected the action; ``taken()`` reports which.
  @MainActor public func finish() async {
    try? await taken()
  }

  /// Waits like ``finish()``.
  ///
  /// - Throws: With a remote store, the reason for which the hub or the client rejected the action. In process,
  ///   nothing.
  @MainActor public func taken() async throws {
    let onCancel = onCancel
    try await withTaskCancellationHandler {
      try await completion?.wait()
    } onCancel: {
      Task { @MainActor in onCancel?() }
    }
  }

  /// Cancels the effects that the action started: on the main thread immediately, on others as soon as possible.
  ///
  /// It can be called in `deinit`. The effects deliver no more actions and count as ended, but an operation that
  /// ignores its cancellation continues to run.
  public func cancel() {
    guard let completion else { return }
    completion.wasCancelled.store(true, ordering: .releasing)
    let onCancel = onCancel
    MainThread.run { if !completion.isOver { onCancel?() } }
  }

  /// True if ``cancel()`` was called, or if the action started no effects.
  public var isCancelled: Bool { completion?.wasCancelled.load(ordering: .acquiring) ?? true }

  /// True if no effects of the action are running any more.
  @MainActor public var isOver: Bool { completion?.isOver ?? true }

  /// Tasks are equal if they are copies of one, or if both started no effects.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.completion === rhs.completion }

  public func hash(into hasher: inout Hasher) { hasher.combine(completion.map(ObjectIdentifier.init)) }

  /// The end of some work, with or without an error, for which any number of tasks can wait.
  @MainActor
  package final class Completion {
    fileprivate nonisolated let wasCancelled = Atomic(false)
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
