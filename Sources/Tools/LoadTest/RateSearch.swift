/// Searches for the highest rate of an open loop at which the p99 keeps a limit: by doubling, then by bisection.
package struct RateSearch: Sendable {
  /// A tested rate.
  package struct Step: Equatable, Sendable {
    /// The intended number of actions per second, and the acknowledged one.
    package var (wanted, reached): (Double, Double)
    /// The p99 in nanoseconds; nil without an acknowledgement.
    package var p99: UInt64?
    /// True if the limit was kept.
    package var isKept: Bool
    /// True if this program was too slow.
    package var isGeneratorLate: Bool

    package static func == (left: Step, right: Step) -> Bool {
      (left.wanted, left.reached, left.p99, left.isKept, left.isGeneratorLate)
        == (right.wanted, right.reached, right.p99, right.isKept, right.isGeneratorLate)
    }
  }

  /// The limit of the p99 in nanoseconds.
  package let limit: UInt64
  /// The tested rates, in order.
  package private(set) var steps: [Step] = []
  private var rate: Double
  private var (highestKept, lowestMissed): (Double?, Double?)

  /// Starts with a rate.
  package init(limit: UInt64, from rate: Double) { (self.limit, self.rate) = (limit, rate) }

  /// The next rate to try; nil when the search is over.
  package var next: Double? {
    guard let highestKept else { return lowestMissed == nil || rate >= 1 ? rate : nil }
    guard let lowestMissed else { return steps.count < 40 ? rate : nil }
    return lowestMissed / highestKept > 1.05 ? rate : nil
  }

  /// Adds the result at the rate `next`.
  package mutating func take(_ report: LoadReport) {
    let p99 = report.latencies.count > 0 ? report.latencies.quantile(0.99) : nil
    // A hub that cannot keep up acknowledges fewer actions than arrive.
    let isKept = report.failure == nil && p99 ?? .max <= limit && report.actionsPerSecond >= 0.95 * rate
    take(
      Step(
        wanted: rate, reached: report.actionsPerSecond, p99: p99, isKept: isKept,
        isGeneratorLate: report.isGeneratorLate))
  }

  mutating func take(_ step: Step) {
    steps.append(step)
    if step.isKept { highestKept = max(highestKept ?? 0, rate) } else { lowestMissed = min(lowestMissed ?? rate, rate) }
    switch (highestKept, lowestMissed) {
    case (let kept?, let missed?): rate = (kept * missed).squareRoot()
    case (let kept?, nil): rate = kept * 2
    default: rate /= 4
    }
  }
}

extension [RateSearch.Step] {
  /// The highest rate that kept the limit.
  var best: RateSearch.Step? { filter(\.isKept).max { $0.wanted < $1.wanted } }

  /// True if the lowest rate that missed the limit did so because this program was late.
  var isLimitedByGenerator: Bool { filter { !$0.isKept }.min { $0.wanted < $1.wanted }?.isGeneratorLate == true }
}

extension RateSearch.Step: CustomStringConvertible {
  /// The step as one line.
  package var description: String {
    "\(Decimals.grouped(wanted)) actions/s wanted, \(Decimals.grouped(reached)) reached, "
      + "p99 \(p99.map { Decimals.time($0) } ?? "none"): "
      + (isKept ? "kept" : isGeneratorLate ? "missed, and this program was late itself" : "missed")
  }
}
