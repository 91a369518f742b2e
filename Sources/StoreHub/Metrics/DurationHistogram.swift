/// A histogram of durations from 4 µs to half a second, for Prometheus.
struct DurationHistogram {
  /// The number of buckets. Each takes durations twice as long as the one before, and the last all longer ones.
  static let bucketCount = 19
  /// The upper bound of the first bucket, in units of a quarter of a nanosecond: 3.90625 µs, so that one bound is 1 ms.
  private static let quarters: UInt64 = 15_625

  private(set) var counts = InlineArray<19, UInt64>(repeating: 0)
  /// The sum of all durations in nanoseconds.
  private(set) var sum: UInt64 = 0

  /// Adds durations.
  ///
  /// - Parameters:
  ///   - nanoseconds: The duration.
  ///   - count: The number of times that it is counted.
  mutating func note(_ nanoseconds: UInt64, count: UInt64 = 1) {
    let units = min(nanoseconds, 1 << 60) * 4 / Self.quarters
    counts[min(UInt64.bitWidth - units.leadingZeroBitCount, Self.bucketCount - 1)] += count
    sum &+= nanoseconds &* count
  }

  /// The upper bound of a bucket in seconds.
  static func bound(_ bucket: Int) -> Double { Double(quarters << UInt64(bucket)) / 4e9 }
}
