/// The times at which the hub returns freed memory to the system: at most a hundredth of its time.
///
/// malloc_trim(3) takes 0.4 to 1 s for 2 GiB of freed blocks, and up to 0.15 s if it finds nothing to return among many
/// small ones. Meanwhile it holds the lock of the heap, so the loop would wait for a thread of its own just as long. A
/// client can cause the peaks after which memory is returned, but not how often.
struct MemoryRelease {
  /// The time between two releases, in nanoseconds, and as a multiple of the time that the last one took.
  private static let shortestInterval: UInt64 = 1_000_000_000
  private static let factor: UInt64 = 100

  /// The time of the next release, in nanoseconds of the loop's clock.
  private var next: UInt64 = 0
  /// The number of releases.
  private(set) var count = 0

  /// The time to wait before the next release; nil if it may begin now.
  func delay(at now: UInt64) -> Duration? { now < next ? .nanoseconds(Int64(next - now)) : nil }

  /// Records a release.
  mutating func note(from start: UInt64, to end: UInt64) {
    count += 1
    next = end + max(Self.shortestInterval, (end - start) * Self.factor)
  }
}
