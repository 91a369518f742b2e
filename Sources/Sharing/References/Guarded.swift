internal import Synchronization

/// State behind a lock that lets values in and out that need not be sendable.
///
/// Who puts such a value in answers for it: `Shared` is sendable only when its value is. The lock is not recursive.
final class Guarded<State>: @unchecked Sendable {  // `lock` guards `state`.
  private let lock = Mutex<Void>(())
  private var state: State

  init(_ state: State) {
    self.state = state
  }

  func withLock<R>(_ body: (inout State) throws -> R) rethrows -> R {
    try lock.withLock { _ in Passage(value: try body(&state)) }.value
  }

  /// Carries a result out of `lock`.
  private struct Passage<R>: @unchecked Sendable {  // Made under `lock`, opened by the same thread right after.
    let value: R
  }
}
