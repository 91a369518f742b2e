internal import CEpoll
internal import Glibc

/// CLOCK_MONOTONIC (clock_gettime(2)), one clock for every process of the machine.
enum Clock {
  /// Nanoseconds since some moment.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Seconds as nanoseconds.
  static func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(max(0, min(seconds, 1e9)) * 1e9) }
}
