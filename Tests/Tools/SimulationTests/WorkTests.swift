import Simulation
import TestSupport
import Testing

/// An action needs as many operations on a long list as on a short one.
@Suite(.computing) struct WorkTests {
  @Test(arguments: WorkProbe.Operation.allCases.filter { $0 != .remake })
  func workDoesNotGrowWithTheState(operation: WorkProbe.Operation) {
    let short = WorkProbe.cost(of: operation, itemCount: 500)
    let long = WorkProbe.cost(of: operation, itemCount: 20_000)
    #expect(!long.exceeds(short), "\(short) of 500, \(long) of 20,000")
    #expect(short.bytes > 0 && short.commands > 0)
  }

  @Test func workThatGrowsIsSeen() {
    let short = WorkProbe.cost(of: .remake, itemCount: 500, repetitions: 3)
    let long = WorkProbe.cost(of: .remake, itemCount: 20_000, repetitions: 3)
    #expect(long.exceeds(short), "\(short) of 500, \(long) of 20,000")
  }
}
