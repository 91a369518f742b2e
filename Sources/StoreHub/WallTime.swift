internal import Glibc

/// The wall-clock time in milliseconds since 1970.
nonisolated func wallTime() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_REALTIME, &time)
  return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
