import Testing

@testable import Wire

/// The random numbers of actions, and the functions below them.
@Suite struct ActionRandomnessTests {
  /// The test cases 1, 2 and 6 of RFC 4231.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func theCodeIsThatOfTheStandard(key: [UInt8], text: String, code: String) {
    #expect(SHA256.code(of: Array(text.utf8), key: key).hexadecimal == code)
  }

  private let key = SessionID(high: 1, low: 2).key

  private func numbers(_ count: Int, key: [UInt8], action: UInt64) -> [UInt64] {
    var randomness = ActionRandomness(key: key, action: action)
    return (0..<count).map { _ in randomness.next() }
  }

  @Test func theSameActionHasTheSameNumbers() {
    #expect(numbers(20, key: key, action: 3) == numbers(20, key: key, action: 3))
  }

  @Test func actionsAndSessionsHaveNumbersOfTheirOwn() {
    var seen: Set<UInt64> = []
    for low in UInt64(0)..<20 {
      for action in UInt64(1)...20 {
        for number in numbers(10, key: SessionID(high: 1, low: low).key, action: action) {
          #expect(seen.insert(number).inserted)
        }
      }
    }
  }

  @Test func anotherActionBeginsAgainHoweverManyNumbersWereDrawn() {
    var randomness = ActionRandomness(key: key, action: 1)
    for count in 0..<10 {
      for _ in 0..<count { _ = randomness.next() }
      randomness.begin(UInt64(count) + 2)
      #expect(randomness.next() == numbers(1, key: key, action: UInt64(count) + 2)[0])
    }
  }

  /// Fixed, so that clients in other languages and later versions draw the same.
  @Test func theNumbersAreThoseOfTheProtocol() {
    let session = SessionID(high: 0x0001_0203_0405_0607, low: 0x0809_0a0b_0c0d_0e0f)
    #expect(numbers(2, key: session.key, action: 7) == [0x04bb_f302_a734_83ad, 0x53f4_3578_bb69_d69e])
    #expect(session.identity == 0x5f1b_1688_8df4_5a97)
  }
}
