internal import Synchronization

/// State behind a lock, with values that need not be sendable.
///
/// The caller is responsible for such values: `Shared` is sendable only if its value is. The lock is not recursive.
final class Guarded<State>: @unchecked Sendable {  // `lock` guards `state`.
  private let lock = Mutex<Void>(())
  private var state: State

  init(_ state: State) {
    self.state = state
  }

  func withLock<R>(_ body: (inout State) throws -> R) rethrows -> R {
    try lock.withLock { _ in Passage(value: try body(&state)) }.value
  }

  /// Transfers a result out of `lock`.
  private struct Passage<R>: @unchecked Sendable {  // Made under `lock`, opened by the same thread right afterwards.
    let value: R
  }
}
