import Testing

@testable import HubCore

/// Every event in every standing of a connection's output.
@Suite struct OutputStandingTests {
  typealias Event = OutputStanding.Event

  private static let welcome = HeldWelcome(version: 1, isResumed: true, processed: 7)

  private static let standings: [OutputStanding] = [
    .welcomeHeld(welcome), .idle, .coalescing(index: 3), .pending, .paused, .unfinished(wasServed: false),
    .unfinished(wasServed: true), .awaitingHash, .closed,
  ]

  private static let events: [Event] = [
    .welcomeHeld(welcome), .welcomeStored, .woken, .delayed(index: 5), .moved(index: 1), .taken, .paused, .resumed,
    .leftUnfinished(wasServed: false), .leftUnfinished(wasServed: true), .leftWithoutHash, .closed,
  ]

  private enum Outcome {
    case stays
    case becomes(OutputStanding)
    /// The event cannot occur.
    case impossible
  }

  /// The outcomes of an event, in the order of `standings`.
  private static func row(_ event: Event) -> [Outcome] {
    let (no, stays) = (Outcome.impossible, Outcome.stays)
    func to(_ standing: OutputStanding) -> Outcome { .becomes(standing) }
    // welcomeHeld, idle, coalescing, pending, paused, unfinished and not served, and served, awaitingHash, closed
    return switch event {
    case .welcomeHeld: [no, to(.welcomeHeld(welcome)), no, no, no, no, no, no, stays]
    case .welcomeStored: [to(.idle), no, no, no, no, no, no, no, stays]
    case .woken: [stays, to(.pending), to(.pending), stays, stays, stays, stays, stays, stays]
    case .delayed: [stays, to(.coalescing(index: 5)), stays, stays, stays, stays, stays, stays, stays]
    case .moved: [no, no, to(.coalescing(index: 1)), no, no, no, no, no, stays]
    case .taken: [no, no, no, to(.idle), no, no, no, no, stays]
    case .paused: [no, no, no, to(.paused), no, no, no, no, stays]
    case .resumed: [no, no, no, no, to(.pending), to(.pending), to(.pending), to(.pending), stays]
    case .leftUnfinished(let wasServed):
      [no, to(.unfinished(wasServed: wasServed)), no, no, no, no, no, no, stays]
    case .leftWithoutHash: [no, to(.awaitingHash), no, no, no, no, no, no, stays]
    case .closed: Array(repeating: to(.closed), count: 8) + [stays]
    }
  }

  @Test(arguments: events) func everyEventInEveryStanding(event: Event) {
    let row = Self.row(event)
    #expect(row.count == Self.standings.count)
    for (standing, outcome) in zip(Self.standings, row) {
      switch outcome {
      case .impossible:
        #expect(standing.after(event) == nil, "\(event) of a connection that is \(standing)")
      case .stays:
        var changed = standing
        #expect(!changed.receive(event) && changed == standing, "\(event) of a connection that is \(standing)")
      case .becomes(let next):
        var changed = standing
        #expect(changed.receive(event) && changed == next, "\(event) of a connection that is \(standing)")
      }
    }
  }

  @Test func anEventThatCannotOccurIsABrokenInvariant() async {
    await #expect(processExitsWith: .failure) {
      var standing = OutputStanding.idle
      standing.receive(.taken)
    }
  }
}
