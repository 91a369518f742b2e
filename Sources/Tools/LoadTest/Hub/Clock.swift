internal import CEpoll
internal import Glibc

/// CLOCK_MONOTONIC (clock_gettime(2)), which all processes of the machine share.
enum Clock {
  /// The current time in nanoseconds since an arbitrary moment.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Converts seconds to nanoseconds.
  static func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(max(0, min(seconds, 1e9)) * 1e9) }
}
