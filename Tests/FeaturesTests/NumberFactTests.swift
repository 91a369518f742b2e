import Features
import Foundation
import Testing

@Suite struct NumberFactTests {
  private func isPrime(_ number: Int) -> Bool {
    number > 1 && !(2..<number).contains { $0 * $0 <= number && number % $0 == 0 }
  }

  private func numbers(in sentence: String) -> [Int] {
    sentence.split { !$0.isNumber && $0 != "-" }.compactMap { Int($0) }
  }

  @Test func everyFactIsTrue() throws {
    for number in 3...5000 {
      let fact = NumberFacts.fact(about: number)
      #expect(fact.hasPrefix("\(number) is ") && fact.hasSuffix("."), "\(fact)")
      let others = Array(numbers(in: fact).dropFirst())
      if fact.contains("is prime") {
        #expect(isPrime(number), "\(fact)")
        if let twin = others.first { #expect(isPrime(twin) && abs(twin - number) == 2, "\(fact)") }
      } else if fact.contains("product of the primes") {
        #expect(others.reduce(1, *) == number && others.allSatisfy(isPrime), "\(fact)")
      } else if fact.contains("perfect") {
        #expect((1..<number).filter { number % $0 == 0 }.reduce(0, +) == number, "\(fact)")
      } else if fact.contains("square") {
        #expect(others == [others[0], others[0]] && others[0] * others[0] == number, "\(fact)")
      } else if fact.contains("triangular") {
        #expect((1...others[1]).reduce(0, +) == number, "\(fact)")
      } else if fact.contains("palindrome") {
        #expect(String("\(number)".reversed()) == "\(number)", "\(fact)")
      } else if fact.contains("power") {
        #expect(Int(pow(2, Double(others[1]))) == number, "\(fact)")
      } else if fact.contains("Fibonacci") {
        var sequence = [0, 1]
        while sequence.count <= others[0] { sequence.append(sequence.suffix(2).reduce(0, +)) }
        #expect(sequence[others[0]] == number && others[1] + others[2] == number, "\(fact)")
        #expect(sequence.contains(others[1]) && sequence.contains(others[2]), "\(fact)")
      } else {
        Issue.record("an unknown kind of fact: \(fact)")
      }
    }
  }

  @Test func aNegativeNumberAndItsOppositeAddUpToZero() {
    for number in -50..<0 {
      let mentioned = numbers(in: NumberFacts.fact(about: number))
      #expect(mentioned.first == number && mentioned.reduce(0, +) == 0)
    }
  }

  @Test func aTwinIsNamedForEveryPrimeThatHasOne() {
    for number in 3...2000 {
      let fact = NumberFacts.fact(about: number)
      guard fact.contains("is prime") else { continue }
      #expect(fact.contains("twin") == (isPrime(number - 2) || isPrime(number + 2)), "\(fact)")
    }
  }

  @Test(arguments: [Int.min, -28, -1, 0, 1, 2, 1_000_003 * 1_000_003, .max - 1, .max])
  func everyNumberHasAFact(number: Int) {
    let fact = NumberFacts.fact(about: number)
    #expect(fact.hasPrefix("\(number) "))
    #expect(fact == NumberFacts.fact(about: number))
  }
}
