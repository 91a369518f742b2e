/// Reproducible random numbers from a seed, for simulations, load and tests.
///
/// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014). It must not be used for
/// secrets, since an observer of one number knows all that follow.
///
/// ```swift
/// let store = Store(initialState: Dice.State()) { Dice() } withDependencies: {
///   $0.withRandomNumberGenerator = WithRandomNumberGenerator(SplitMix(seed: 7))
/// }
/// ```
public struct SplitMix: RandomNumberGenerator, Sendable {
  @usableFromInline var state: UInt64

  /// Creates a generator, whose numbers are those of every other one with this seed.
  @inlinable
  public init(seed: UInt64) { state = seed }

  /// Returns the next number; each of the 2^64 numbers occurs once in a period.
  @inlinable
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mixed(state)
  }

  /// Returns a number all of whose bits depend on all bits of another one; different numbers have different results.
  @inlinable
  public static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
