internal import Synchronization

/// How many parts of a stream run.
final class Running: Sendable {
  private let count: Mutex<Int>

  init(_ count: Int) {
    self.count = Mutex(count)
  }

  func begin() { count.withLock { $0 += 1 } }

  /// Notes the end of a part; says whether it was the last one.
  func endsLast() -> Bool {
    count.withLock {
      $0 -= 1
      return $0 == 0
    }
  }
}
