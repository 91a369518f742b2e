import TestSupport
import Testing

@testable import LoadTest

@Suite struct LatencyHistogramTests {
  /// Returns values over nine powers of ten, similar to latencies.
  private func values(_ count: Int, seed: UInt64) -> [UInt64] {
    var random = SplitMix(seed: seed)
    return (0..<count).map { _ in
      let octave = UInt64.random(in: 0..<34, using: &random)
      return UInt64.random(in: (1 << octave)..<(2 << octave), using: &random)
    }
  }

  @Test(arguments: [1, 2, 3]) func quantilesExceedTheExactOnesByAThousandthAtMost(seed: UInt64) {
    let values = values(20_011, seed: seed)
    let sorted = values.sorted()
    var histogram = LatencyHistogram()
    for value in values { histogram.add(value) }
    for part in [0.0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1] {
      let rank = max(Int((part * Double(sorted.count)).rounded(.up)), 1)
      let exact = sorted[rank - 1]
      let found = histogram.quantile(part)
      #expect(found >= exact)
      #expect(Double(found) <= Double(exact) * (1 + LatencyHistogram.relativeError), "\(part)")
    }
    #expect(histogram.maximum == sorted.last && histogram.minimum == sorted.first)
    #expect(histogram.count == 20_011)
  }

  @Test func mergingLosesNothing() {
    let values = values(9_000, seed: 7)
    var (whole, parts) = (LatencyHistogram(), [LatencyHistogram(), LatencyHistogram(), LatencyHistogram()])
    for (index, value) in values.enumerated() {
      whole.add(value, times: UInt64(index % 4))
      parts[index % 3].add(value, times: UInt64(index % 4))
    }
    var merged = LatencyHistogram()
    for part in parts { merged.merge(part) }
    #expect(merged.buckets.map(\.nanoseconds) == whole.buckets.map(\.nanoseconds))
    #expect(merged.buckets.map(\.count) == whole.buckets.map(\.count))
    #expect(merged.count == whole.count && merged.quantile(0.37) == whole.quantile(0.37))
  }

  @Test func smallAndHugeValuesHaveBuckets() {
    var histogram = LatencyHistogram()
    for value in [0, 1, 2047, 2048, 1 << 42, UInt64.max] { histogram.add(value) }
    #expect(histogram.count == 6 && histogram.minimum == 0 && histogram.maximum == .max)
    #expect(histogram.quantile(0.5) == 2047)
    histogram.removeAll()
    #expect(histogram == LatencyHistogram())
    #expect(histogram.quantile(0.5) == 0)
  }
}
