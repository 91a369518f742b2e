internal import ReplicaCore
internal import Synchronization

/// The outcome of an action, for any number of tasks that wait for it.
final class ActionOutcome: Sendable {
  private struct State {
    var result: Result<Void, ActionError>?
    var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    var nextNumber = 0
  }

  private let state = Mutex(State())

  /// Records the outcome, once.
  func complete(_ result: Result<Void, ActionError>) {
    let waiting = state.withLock { state in
      state.result = result
      defer { state.waiting = [:] }
      return state.waiting
    }
    for continuation in waiting.values { continuation.resume(with: result) }
  }

  /// Returns when the action has taken effect.
  /// - Throws: The `ActionError`; `CancellationError` if the task is cancelled first.
  func wait() async throws {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let known: Result<Void, any Error>? = state.withLock { state in
          if let result = state.result { return result.mapError { $0 } }
          // The handler has found nothing to resume.
          if Task.isCancelled { return .failure(CancellationError()) }
          state.waiting[number] = continuation
          return nil
        }
        if let known { continuation.resume(with: known) }
      }
    } onCancel: {
      state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }
  }
}

extension CheckedContinuation where E == any Error, T == Void {
  fileprivate func resume(with result: Result<Void, ActionError>) {
    switch result {
    case .success: resume()
    case .failure(let error): resume(throwing: error)
    }
  }
}
