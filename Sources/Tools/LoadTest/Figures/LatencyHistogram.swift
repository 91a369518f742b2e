/// A histogram of times in nanoseconds, with buckets of at most 1/1024 of their values, as in HdrHistogram.
///
/// A quantile is the upper end of its bucket, so it is never below the exact value and exceeds it by at most 0.1 %. All
/// histograms have the same buckets, so merging loses no precision. Times range from a nanosecond to 73 minutes; longer
/// ones are counted as 73 minutes, though `maximum` is exact.
package struct LatencyHistogram: Equatable, Sendable {
  /// The number of buckets for each power of two.
  private static let perOctave = 1024
  private static let bits = 10
  private static let bucketCount = 32 * perOctave + perOctave
  private var counts: [UInt64]
  /// The range of buckets that may have counts.
  private var used: Range<Int> = 0..<0
  /// The number of counted times.
  package private(set) var count: UInt64 = 0
  /// The sum of all times in nanoseconds.
  package private(set) var sum: Double = 0
  /// The exact longest time in nanoseconds, or zero if there is none.
  package private(set) var maximum: UInt64 = 0
  /// The exact shortest time in nanoseconds, or zero if there is none.
  package private(set) var minimum: UInt64 = 0

  /// The largest relative error of a quantile.
  package static var relativeError: Double { 1 / Double(perOctave) }

  /// Creates an empty histogram.
  package init() {
    counts = Array(repeating: 0, count: Self.bucketCount)
  }

  /// The mean in nanoseconds, or zero if there is none.
  package var mean: Double { count == 0 ? 0 : sum / Double(count) }

  /// Counts a time in nanoseconds, once or several times.
  package mutating func add(_ nanoseconds: UInt64, times: UInt64 = 1) {
    let bucket = min(Self.bucket(of: nanoseconds), Self.bucketCount - 1)
    counts[bucket] += times
    if bucket < used.lowerBound || used.isEmpty { used = bucket..<max(used.upperBound, bucket + 1) }
    if bucket >= used.upperBound { used = used.lowerBound..<bucket + 1 }
    minimum = count == 0 ? nanoseconds : min(minimum, nanoseconds)
    maximum = max(maximum, nanoseconds)
    count += times
    sum += Double(nanoseconds) * Double(times)
  }

  /// Adds the counts of another histogram.
  /// - Complexity: O(buckets between the other's shortest and longest time).
  package mutating func merge(_ other: LatencyHistogram) {
    guard other.count > 0 else { return }
    for bucket in other.used { counts[bucket] += other.counts[bucket] }
    minimum = count == 0 ? other.minimum : min(minimum, other.minimum)
    maximum = max(maximum, other.maximum)
    used =
      used.isEmpty
      ? other.used
      : min(used.lowerBound, other.used.lowerBound)..<max(used.upperBound, other.used.upperBound)
    count += other.count
    sum += other.sum
  }

  /// Removes all counts and keeps the memory.
  package mutating func removeAll() {
    for bucket in used { counts[bucket] = 0 }
    (used, count, sum, maximum, minimum) = (0..<0, 0, 0, 0, 0)
  }

  /// Returns the time in nanoseconds that a fraction of all times do not exceed: 0.5 gives the median. Zero if empty.
  package func quantile(_ part: Double) -> UInt64 {
    guard count > 0 else { return 0 }
    let rank = max(min(UInt64((part * Double(count)).rounded(.up)), count), 1)
    var passed: UInt64 = 0
    for bucket in used {
      passed += counts[bucket]
      if passed >= rank { return min(Self.upperBound(of: bucket), maximum) }
    }
    return maximum
  }

  /// The buckets with counts: the longest time of each, and its count.
  package var buckets: [(nanoseconds: UInt64, count: UInt64)] {
    used.compactMap { counts[$0] > 0 ? (Self.upperBound(of: $0), counts[$0]) : nil }
  }

  private static func bucket(of value: UInt64) -> Int {
    guard value >= 2 * UInt64(perOctave) else { return Int(value) }
    let shift = 63 - value.leadingZeroBitCount - bits
    return shift * perOctave + Int(value >> UInt64(shift))
  }

  private static func upperBound(of bucket: Int) -> UInt64 {
    guard bucket >= 2 * perOctave else { return UInt64(bucket) }
    let shift = bucket / perOctave - 1
    return ((UInt64(bucket - shift * perOctave) + 1) << UInt64(shift)) - 1
  }
}
