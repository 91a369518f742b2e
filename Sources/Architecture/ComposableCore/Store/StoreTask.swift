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
  ///
  /// - Parameter onCancel: Cancels the work, which then ends; nil for work that cannot be cancelled.
  package init(completion: Completion, onCancel: (@MainActor @Sendable () -> Void)?) {
    self.completion = completion
    self.onCancel = onCancel
  }

  /// Waits until the action's effects, and those of the actions that they send, have ended or are cancelled.
  ///
  /// Cancelling the waiting task cancels the effects. With a remote store, it waits until the hub has applied or
  /// rejected the action; ``taken()`` reports which, and ``hold()`` waits on. An action that was sent to a hub is not
  /// recalled, but its effects are cancelled there.
  @MainActor public func finish() async {
    try? await taken()
  }

  /// Waits like ``finish()``.
  ///
  /// - Throws: The ``FeatureCore/Refusal`` with which the reducer refused the action. With a remote store, the reason for
  ///   which the hub or the client rejected the action, or `CancellationError` if the waiting task is cancelled.
  @MainActor public func taken() async throws {
    guard let completion else { return }
    guard let onCancel else {
      do {
        return try await completion.waitUnlessCancelled()
      } catch is CancellationError {
        completion.cancelRemoteEffects()
        throw CancellationError()
      }
    }
    try await withTaskCancellationHandler {
      try await completion.wait()
    } onCancel: {
      Task { @MainActor in onCancel() }
    }
  }

  /// Holds the action's effects as long as a view is shown: waits until they have ended, or until the waiting task is
  /// cancelled, which cancels them. A view calls ``Store/hold(_:)``, which also begins them again.
  ///
  /// With a remote store, it waits until the waiting task is cancelled, the hub rejects the action, or the hub has let
  /// go of the effects: because it was restarted, also before it has answered, or because the client was away for longer
  /// than it waits. The hub then cancels what the action alone has started; an effect that others share
  /// (`Effect.shared(id:)`) goes on for them.
  ///
  /// - Returns: True if the hub has let go of the effects. The view is still shown then, and sends the action again.
  @MainActor @discardableResult public func hold() async -> Bool {
    guard let completion else { return false }
    do { try await taken() } catch {
      let isUnknown = (error as? any RemoteOutcomeError)?.isUnknown == true
      return isUnknown && completion.isReleased && !Task.isCancelled
    }
    guard let release = completion.remoteRelease() else { return false }
    var isReleased = false
    for await _ in release { isReleased = true }
    cancel()
    return isReleased && !Task.isCancelled
  }

  /// Cancels the effects that the action started: on the main thread immediately, on others as soon as possible. With a
  /// remote store, the hub cancels them when it has applied the action.
  ///
  /// It can be called in `deinit`. The effects deliver no more actions and count as ended, but an operation that
  /// ignores its cancellation continues to run.
  public func cancel() {
    guard let completion else { return }
    completion.wasCancelled.store(true, ordering: .releasing)
    let onCancel = onCancel
    MainThread.run {
      if !completion.isOver { onCancel?() }
      completion.cancelRemoteEffects()
    }
  }

  /// Calls a closure when a hub has let go of the action's effects, or at once if it has.
  @MainActor package func whenReleased(_ body: @escaping @MainActor () -> Void) { completion?.whenReleased(body) }

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
    private var waiting: [UInt64: CheckedContinuation<Void, any Error>] = [:]
    package private(set) var waitCount: UInt64 = 0
    /// Cancels the effects that run in a hub; nil for those of a store in this process.
    private weak var remote: (any RemoteEffects)?
    /// The number of the action there.
    private var remoteNumber: UInt64 = 0

    package init() {}

    /// Sets where the action's effects run.
    package func setRemote(_ remote: any RemoteEffects, number: UInt64) {
      (self.remote, remoteNumber) = (remote, number)
    }

    /// A stream that has an element, and ends, when the hub has let go of the effects; nil for effects of a store in
    /// this process.
    fileprivate func remoteRelease() -> AsyncStream<Void>? {
      guard let remote else { return nil }
      let (stream, continuation) = AsyncStream<Void>.makeStream()
      remote.whenReleased(remoteNumber) {
        continuation.yield()
        continuation.finish()
      }
      return stream
    }

    /// True if a hub has let go of the effects, so that it does not have them any more, if it had them.
    fileprivate var isReleased: Bool {
      var isReleased = false
      remote?.whenReleased(remoteNumber) { isReleased = true }
      return isReleased
    }

    /// Calls a closure when a hub has let go of the effects that run there.
    fileprivate func whenReleased(_ body: @escaping @MainActor () -> Void) {
      remote?.whenReleased(remoteNumber, body)
    }

    /// Cancels the effects that run in a hub, once.
    fileprivate func cancelRemoteEffects() {
      guard let remote else { return }
      self.remote = nil
      if case .failure = result { return }
      remote.cancelEffects(ofAction: remoteNumber)
    }

    package var isOver: Bool { result != nil }

    /// Resumes the waiting tasks; a second call has no effect.
    package func complete(_ result: Result<Void, any Error>) {
      guard self.result == nil else { return }
      self.result = result
      let waiting = waiting
      self.waiting = [:]
      for (_, continuation) in waiting.sorted(by: { $0.key < $1.key }) { continuation.resume(with: result) }
    }

    package func wait() async throws { try await wait(as: nextWait()) }

    /// Waits for the end of the work, or of the waiting task: then it throws `CancellationError`.
    fileprivate func waitUnlessCancelled() async throws {
      try Task.checkCancellation()
      let number = nextWait()
      try await withTaskCancellationHandler {
        try await wait(as: number)
      } onCancel: {
        Task { @MainActor in self.waiting.removeValue(forKey: number)?.resume(throwing: CancellationError()) }
      }
    }

    private func nextWait() -> UInt64 {
      waitCount += 1
      return waitCount
    }

    private func wait(as number: UInt64) async throws {
      if let result { return try result.get() }
      try await withCheckedThrowingContinuation { waiting[number] = $0 }
    }
  }
}

/// The reason for which an action failed that was sent to a hub.
package protocol RemoteOutcomeError: Error {
  /// True if the action may have taken effect.
  var isUnknown: Bool { get }
}

/// A hub in which effects of actions run.
@MainActor
package protocol RemoteEffects: AnyObject {
  /// Cancels the effects of an action.
  func cancelEffects(ofAction number: UInt64)

  /// Calls a closure when the hub has let go of the effects of an action, or at once if it has; not after
  /// `cancelEffects`.
  func whenReleased(_ number: UInt64, _ body: @escaping @MainActor () -> Void)
}
