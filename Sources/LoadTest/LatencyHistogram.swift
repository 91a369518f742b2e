/// Counts of latencies in buckets of 1.6 % width, from a nanosecond to hours, in 20 KiB.
public nonisolated struct LatencyHistogram: Sendable {
  /// Buckets of one power of two.
  private static let subBuckets: UInt64 = 64
  private var counts: [UInt64]
  /// How many latencies were counted.
  public private(set) var count: UInt64 = 0
  /// The greatest one, in nanoseconds, exactly.
  public private(set) var maximum: UInt64 = 0

  /// Creates an empty histogram.
  public init() {
    counts = Array(repeating: 0, count: 40 * Int(Self.subBuckets))
  }

  /// Counts a latency in nanoseconds, several times at once if need be.
  public mutating func add(_ nanoseconds: UInt64, times: UInt64 = 1) {
    counts[min(Self.bucket(of: nanoseconds), counts.count - 1)] += times
    count += times
    maximum = max(maximum, nanoseconds)
  }

  /// The latency that a part of all does not exceed, in nanoseconds: 0.5 gives the median. Zero when empty.
  public func quantile(_ part: Double) -> UInt64 {
    guard count > 0 else { return 0 }
    let rank = min(UInt64((part * Double(count)).rounded(.up)), count)
    var passed: UInt64 = 0
    for (bucket, count) in counts.enumerated() {
      passed += count
      if passed >= max(rank, 1) { return min(Self.upperBound(of: bucket), maximum) }
    }
    return maximum
  }

  private static func bucket(of value: UInt64) -> Int {
    guard value >= subBuckets else { return Int(value) }
    let exponent = UInt64(63 - value.leadingZeroBitCount)
    return Int((exponent - 5) * subBuckets + (value >> (exponent - 6)) - subBuckets)
  }

  private static func upperBound(of bucket: Int) -> UInt64 {
    let bucket = UInt64(bucket)
    guard bucket >= subBuckets else { return bucket }
    let exponent = bucket / subBuckets + 5
    return ((bucket % subBuckets + subBuckets + 1) << (exponent - 6)) - 1
  }
}
