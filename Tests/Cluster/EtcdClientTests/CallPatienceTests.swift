import Testing

@testable import EtcdLogStore

/// A store that is slow is waited for.
@Suite struct CallPatienceTests {
  @Test func theTimeGrowsWhileAnswersAreMissing() {
    var patience = CallPatience(shortest: .milliseconds(300))
    var times: [Duration] = []
    for _ in 0..<14 {
      times.append(patience.timeout)
      patience.noteMissing()
    }
    // The first ones are as long as an election of etcd.
    let expected = [1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8]
    #expect(times == expected.map { .milliseconds(300 * $0) })
    // The store may still be slow.
    patience.noteAnswer()
    #expect(patience.timeout == .milliseconds(300 * 7))
    for _ in 0..<8 { patience.noteAnswer() }
    #expect(patience.timeout == .milliseconds(300))
  }
}
