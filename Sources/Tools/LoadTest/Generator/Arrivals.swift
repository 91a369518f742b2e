internal import Glibc

/// The times at which a thread's actions of an open loop are scheduled.
struct Arrivals {
  private let start: UInt64
  private let isPoisson: Bool
  /// The number of actions per nanosecond at the start, and its growth per nanosecond until the end of the ramp.
  private let (rate, growth): (Double, Double)
  /// The duration of the ramp, the number of its actions, and the rate from its end.
  private let (rampTime, rampCount, lastRate): (Double, Double, Double)
  private var generator: UInt64
  /// The expected number of actions before `next`.
  private var expected: Double
  /// The time of the next action.
  private(set) var next: UInt64

  /// - Parameters:
  ///   - share: The thread's part of the rate: 1/threads.
  ///   - offset: The fraction of an interval by which the thread is shifted, so that threads do not send
  ///     simultaneously.
  ///   - seconds: The time over which the rate changes to the end of the plan's ramp; afterwards it is constant.
  init(_ plan: Plan, start: UInt64, share: Double, offset: Double, seconds: Double, seed: UInt64) {
    self.start = start
    isPoisson = plan.arrival == .poisson
    let first = (plan.rate ?? 1) * share
    rate = first / 1e9
    lastRate = (plan.rampTo.map { $0 * share } ?? first) / 1e9
    rampTime = max(seconds, 0.001) * 1e9
    rampCount = (rate + lastRate) / 2 * rampTime
    growth = (lastRate - rate) / rampTime
    generator = seed
    expected = isPoisson ? 0 : offset
    next = start
    if isPoisson { advance() } else { next = start + time(of: expected) }
  }

  /// Advances `next` to the time of the following action.
  mutating func advance() {
    if isPoisson {
      generator = Mix.hash(generator, 1)
      // In (0, 1], so that the logarithm is finite.
      let uniform = (Double(generator >> 11) + 1) / 9_007_199_254_740_992
      expected -= log(uniform)
    } else {
      expected += 1
    }
    next = start + time(of: expected)
  }

  /// Returns the time of action `count`: the solution of rate × t + growth × t² ÷ 2 = count, up to the end of the ramp.
  private func time(of count: Double) -> UInt64 {
    let time: Double
    if growth == 0 {
      time = count / rate
    } else if count >= rampCount {
      time = rampTime + (count - rampCount) / lastRate
    } else {
      time = ((rate * rate + 2 * growth * count).squareRoot() - rate) / growth
    }
    return UInt64(min(max(time, 0), 1e18))
  }
}
