internal import RandomNumbers

/// Draws for a simulation.
extension SplitMix {
  /// Returns true with this probability in thousandths.
  mutating func hits(_ perMille: Int) -> Bool { Int.random(in: 0..<1000, using: &self) < perMille }

  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  /// A duration in whole microseconds.
  mutating func time(upTo longest: Duration) -> Duration {
    let (seconds, attoseconds) = longest.components
    return .microseconds(Int64.random(in: 0...seconds * 1_000_000 + attoseconds / 1_000_000_000_000, using: &self))
  }

  /// Creates a separate generator for a part of the simulation.
  mutating func fork() -> SplitMix { SplitMix(seed: next()) }
}
