import Testing
import Wire

@testable import HubTool

@Suite struct TopTests {
  private func sample(revision: UInt64, previous: UInt64, seconds: Double = 1) -> Sample {
    Sample(
      revision: revision, seconds: seconds, previous: previous, latencies: [.milliseconds(1)], clients: [], metrics: nil
    )
  }

  /// A defective hub may state any revision.
  @Test(arguments: [(12, 2, 10), (3, 9, 0), (.max, 0, .max), (0, .max, 0)] as [(UInt64, UInt64, Int64)])
  func theRateFitsWhateverRevisionTheHubStates(revision: UInt64, previous: UInt64, rate: Int64) {
    let sample = sample(revision: revision, previous: previous)
    #expect(sample.json["actionsPerSecond"] == .integer(rate))
    #expect(sample.line.split(separator: " ").prefix(2) == ["\(revision)", "\(rate)"])
  }

  @Test func theRateFitsWhateverTimeHasPassed() {
    for seconds in [0, -1, .leastNonzeroMagnitude, .infinity] {
      _ = sample(revision: 9, previous: 2, seconds: seconds).line
    }
    #expect(sample(revision: 9, previous: 2, seconds: .leastNonzeroMagnitude).rate.nearestInteger == .max)
  }
}
