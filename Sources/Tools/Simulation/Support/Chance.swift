/// Reproducible random numbers from a seed, and draws for a simulation.
///
/// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

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
  mutating func fork() -> Chance { Chance(seed: next()) }
}
