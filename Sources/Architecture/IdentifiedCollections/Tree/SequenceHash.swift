/// The hash of a sequence of numbers e₀ … eₙ₋₁: the sum of eᵢ · Bⁿ⁻¹⁻ⁱ modulo the prime p = 2⁶¹ − 1.
///
/// The hash of two concatenated sequences follows from their hashes and the count of the second. Each node of a tree
/// can therefore cache the hash of its subtree, and trees of any shape give the same hash. B is a primitive root modulo
/// p: its powers repeat only after p − 1 of them, so exchanging two elements always changes the hash.
///
/// Source: R. M. Karp and M. O. Rabin, "Efficient Randomized Pattern-Matching Algorithms", 1987.
package enum SequenceHash {
  static var prime: UInt64 { 1 << 61 - 1 }

  /// The smallest primitive root of `prime` that is at least 2⁶¹ / φ, where φ is the golden ratio.
  static var base: UInt64 { 0x13c6_ef37_2fe9_4f8e }

  /// Not a hash, but a mark for an unknown one.
  static var unknown: UInt64 { .max }

  /// The base to the powers of 1, 2, 4, 8 and so on.
  private static let powers: [UInt64] = {
    var powers = [base]
    while powers.count < 63 { powers.append(product(powers[powers.count - 1], powers[powers.count - 1])) }
    return powers
  }()

  /// The hash of a sequence with the hash `hash` after appending any number.
  package static func appending(_ number: UInt64, to hash: UInt64) -> UInt64 {
    // 2⁶¹ is 1 modulo p, so the bits above bit 61 are added to those below.
    sum(product(hash, base), reduced((number & prime) + number >> 61))
  }

  /// The hash of two concatenated sequences, of which the second has `count` numbers.
  static func joining(_ first: UInt64, _ second: UInt64, count: Int) -> UInt64 {
    sum(product(first, power(count)), second)
  }

  private static func power(_ exponent: Int) -> UInt64 {
    var result: UInt64 = 1
    var rest = exponent
    while rest != 0 {
      result = product(result, powers[rest.trailingZeroBitCount])
      rest &= rest - 1
    }
    return result
  }

  private static func product(_ first: UInt64, _ second: UInt64) -> UInt64 {
    let (high, low) = first.multipliedFullWidth(by: second)
    return reduced((low & prime) + (high << 3 | low >> 61))
  }

  private static func sum(_ first: UInt64, _ second: UInt64) -> UInt64 {
    reduced(first + second)
  }

  /// A number below 2p, reduced modulo p.
  private static func reduced(_ number: UInt64) -> UInt64 {
    number >= prime ? number - prime : number
  }
}
