internal import Glibc

/// The moments at which a thread's actions of an open loop are due.
struct Arrivals {
  private let start: UInt64
  private let isPoisson: Bool
  /// Actions per nanosecond at the start, and how it grows per nanosecond.
  private let (rate, growth): (Double, Double)
  private var generator: UInt64
  /// How many are due before `next`, in expectation.
  private var expected: Double
  /// The next moment.
  private(set) var next: UInt64

  /// - Parameters:
  ///   - share: The thread's part of the rate: 1/threads.
  ///   - offset: By how much of a distance the thread is shifted, so that the threads do not send at once.
  ///   - seconds: Over which time the rate rises to that of the plan's ramp.
  init(_ plan: Plan, start: UInt64, share: Double, offset: Double, seconds: Double, seed: UInt64) {
    self.start = start
    isPoisson = plan.arrival == .poisson
    let first = (plan.rate ?? 1) * share
    rate = first / 1e9
    growth = plan.rampTo.map { ($0 * share - first) / max(seconds, 0.001) / 1e18 } ?? 0
    generator = seed
    expected = isPoisson ? 0 : offset
    next = start
    if isPoisson { advance() } else { next = start + Self.time(of: expected, rate, growth) }
  }

  /// Goes on to the moment after `next`.
  mutating func advance() {
    if isPoisson {
      generator = Mix.hash(generator, 1)
      // In (0, 1], so that the logarithm is finite.
      let uniform = (Double(generator >> 11) + 1) / 9_007_199_254_740_992
      expected -= log(uniform)
    } else {
      expected += 1
    }
    next = start + Self.time(of: expected, rate, growth)
  }

  /// When `count` actions are due: the solution of rate × t + growth × t² ÷ 2 = count.
  private static func time(of count: Double, _ rate: Double, _ growth: Double) -> UInt64 {
    guard growth != 0 else { return UInt64(min(count / rate, 1e18)) }
    let root = rate * rate + 2 * growth * count
    // A rate that falls to zero has no further moment.
    guard root > 0 else { return 1_000_000_000_000_000_000 }
    return UInt64(min(max((root.squareRoot() - rate) / growth, 0), 1e18))
  }
}
