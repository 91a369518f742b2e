internal import Synchronization

/// The number of running parts of a stream.
final class Running: Sendable {
  private let count: Mutex<Int>

  init(_ count: Int) {
    self.count = Mutex(count)
  }

  func begin() { count.withLock { $0 += 1 } }

  /// Records the end of a part, and returns true if it was the last one.
  func endsLast() -> Bool {
    count.withLock {
      $0 -= 1
      return $0 == 0
    }
  }
}
