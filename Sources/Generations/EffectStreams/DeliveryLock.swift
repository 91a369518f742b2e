internal import ConcurrencyExtras

/// Lets the parts of one stream deliver their events one at a time, since they may run on several threads.
///
/// Recursive, because a delivery may cause another one on its thread.
package final class DeliveryLock: Sendable {
  private let lock = RecursiveLock()

  package init() {}

  /// Runs work while no other work of this lock runs, except on its own thread.
  func run(_ body: () -> Void) {
    lock.withLock(body)
  }

  /// Returns a closure that runs while no other one of this lock does, except on its own thread.
  package func guarding<Value>(_ body: @escaping (Value) -> Void) -> (Value) -> Void {
    { [lock] value in lock.withLock { body(value) } }
  }
}
