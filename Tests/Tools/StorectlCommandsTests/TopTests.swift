import JSONText
import ReplicaCore
import Testing
import Wire

@testable import StorectlCommands

@Suite struct TopTests {
  private func sample(revision: UInt64, previous: UInt64, seconds: Double = 1) -> Sample {
    Sample(
      revision: revision, seconds: seconds, previous: previous, latencies: [.milliseconds(1)], clients: [],
      metrics: nil,
      rates: SenderRates())
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

  @Test func theRatesAreThoseBetweenTwoPublications() {
    func metrics(_ actions: [UInt64]) -> HubMetrics {
      var metrics = HubMetrics()
      for (index, count) in actions.enumerated() where count > 0 {
        metrics.senders.append(ActionSender(id: UInt64(index), user: UInt32(index / 2), actions: count))
      }
      return metrics
    }
    let clients = (0..<3).map { Attendee(id: UInt64($0), name: "", process: 1, user: UInt32($0 / 2)) }
    var rates = SenderRates()
    rates.take(metrics([10, 0, 0]), at: .seconds(1))
    #expect(rates.rates.isEmpty && rates.intervals == 0)
    rates.take(metrics([30, 5, 1]), at: .seconds(3))
    #expect(rates.rates == [0: 10, 1: 2.5, 2: 0.5])
    #expect(rates.users(of: clients).map(\.user) == [0, 1])
    #expect(rates.users(of: clients).map(\.rate) == [12.5, 0.5])
    // A hub that is silent has no events.
    rates.rest(at: .seconds(5))
    #expect(!rates.rates.isEmpty)
    rates.rest(at: .seconds(6))
    #expect(rates.rates.isEmpty)
    rates.take(metrics([32, 5, 1]), at: .seconds(7))
    #expect(rates.rates == [0: 2])
  }
}
