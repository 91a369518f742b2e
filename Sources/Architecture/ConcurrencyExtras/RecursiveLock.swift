internal import Glibc

/// A lock that the same thread may acquire again.
package final class RecursiveLock: @unchecked Sendable {  // A mutex may be used from any thread.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  package init() {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs an operation while no other thread runs one with this lock.
  package func withLock<Result>(_ operation: () throws -> Result) rethrows -> Result {
    lock()
    defer { unlock() }
    return try operation()
  }

  /// Acquires the lock.
  package func lock() { pthread_mutex_lock(mutex) }

  /// Releases the lock once for each ``lock()``.
  package func unlock() { pthread_mutex_unlock(mutex) }
}
