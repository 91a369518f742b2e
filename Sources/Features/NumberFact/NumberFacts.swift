/// Computed, true facts about whole numbers.
public enum NumberFacts {
  /// The most remarkable known fact about a number, in one sentence that begins with the number.
  ///
  /// The same number always has the same fact.
  /// - Complexity: At most about a million divisions, for numbers with large factors.
  public static func fact(about number: Int) -> String {
    let facts: [(Int) -> String?] = [
      small, perfect, power, fibonacci, square, triangular, palindrome, prime, factorisation,
    ]
    for fact in facts {
      if let sentence = fact(number) { return sentence }
    }
    return "\(number) is \(number.isMultiple(of: 2) ? "even" : "odd") and has \(digits(number).count) digits."
  }

  private static func small(_ number: Int) -> String? {
    switch number {
    case ..<0: "\(number) is less than nothing: it and \(number.magnitude) add up to zero."
    case 0: "0 is the only number that changes nothing when it is added."
    case 1: "1 is the only number that changes nothing when it multiplies."
    case 2: "2 is the only even prime."
    default: nil
    }
  }

  private static func perfect(_ number: Int) -> String? {
    // Even perfect numbers are 2^(p-1) (2^p - 1) with a prime 2^p - 1 (Euclid, Euler).
    for exponent in [2, 3, 5, 7, 13, 17, 19, 31] where (1 << (exponent - 1)) * ((1 << exponent) - 1) == number {
      return "\(number) is perfect: it is the sum of its proper divisors."
    }
    return nil
  }

  private static func power(_ number: Int) -> String? {
    guard number.nonzeroBitCount == 1 else { return nil }
    return "\(number) is 2 to the power of \(number.trailingZeroBitCount)."
  }

  private static func fibonacci(_ number: Int) -> String? {
    var (previous, current, index) = (1, 1, 2)
    while current < number {
      let (next, isOver) = previous.addingReportingOverflow(current)
      guard !isOver else { return nil }
      (previous, current, index) = (current, next, index + 1)
    }
    guard current == number else { return nil }
    return
      "\(number) is the Fibonacci number with index \(index), the sum of \(number - (current - previous)) and \(current - previous)."
  }

  private static func square(_ number: Int) -> String? {
    let root = squareRoot(number)
    guard root * root == number else { return nil }
    return "\(number) is a square: \(root) times \(root)."
  }

  private static func triangular(_ number: Int) -> String? {
    // number = n (n + 1) / 2 means that 8 number + 1 is the square of 2 n + 1.
    let (eightfold, isOver) = number.multipliedReportingOverflow(by: 8)
    guard !isOver, eightfold < Int.max else { return nil }
    let root = squareRoot(eightfold + 1)
    guard root * root == eightfold + 1 else { return nil }
    return "\(number) is triangular: the sum of the numbers from 1 to \((root - 1) / 2)."
  }

  private static func palindrome(_ number: Int) -> String? {
    let digits = digits(number)
    guard digits.count > 1, digits == digits.reversed() else { return nil }
    return "\(number) is a palindrome: it reads the same backwards."
  }

  private static func prime(_ number: Int) -> String? {
    guard let factors = factors(number), factors.count == 1 else { return nil }
    let isTwin = [number - 2, number + 2].first { Self.factors($0)?.count == 1 }
    guard let isTwin else { return "\(number) is prime." }
    return "\(number) is prime, and a twin of \(isTwin)."
  }

  private static func factorisation(_ number: Int) -> String? {
    guard let factors = factors(number), factors.count > 1 else { return nil }
    return "\(number) is the product of the primes \(factors.map(String.init).joined(separator: " × "))."
  }

  /// The prime factors in ascending order; nil if divisors up to a million do not determine them.
  static func factors(_ number: Int) -> [Int]? {
    guard number > 1 else { return nil }
    var (rest, divisor, factors) = (number, 2, [Int]())
    while divisor <= 1_000_000, divisor <= rest / divisor {
      while rest.isMultiple(of: divisor) {
        factors.append(divisor)
        rest /= divisor
      }
      divisor += divisor == 2 ? 1 : 2
    }
    guard rest > 1 else { return factors }
    guard divisor > rest / divisor else { return nil }
    return factors + [rest]
  }

  /// The square root, rounded down.
  static func squareRoot(_ number: Int) -> Int {
    var root = Int(Double(number).squareRoot())
    // A double has 53 bits, so the estimate may be off by one for large numbers.
    while root.multipliedReportingOverflow(by: root).overflow || root * root > number { root -= 1 }
    while !(root + 1).multipliedReportingOverflow(by: root + 1).overflow, (root + 1) * (root + 1) <= number {
      root += 1
    }
    return root
  }

  private static func digits(_ number: Int) -> [UInt8] { Array(String(number.magnitude).utf8) }
}
