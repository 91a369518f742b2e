/// The actions whose effects the hub is to cancel, until it has read the requests.
///
/// A *cancel* has no answer, and may be lost with its connection. So a ping follows the requests of a turn, and its pong
/// proves that the hub has read them. Those without a proof are sent again on the next connection; for the hub, a second
/// one is no request.
struct Cancellations {
  /// The requests that are not sent on this connection yet, oldest first.
  private(set) var unsent: [ActionTicket] = []
  /// The sent ones without a proof, oldest first, with the number of the ping after each.
  private var unproved: [(ticket: ActionTicket, ping: UInt64)] = []

  /// The number of requests.
  var count: Int { unsent.count + unproved.count }

  /// Adds a request.
  mutating func add(_ ticket: ActionTicket) { unsent.append(ticket) }

  /// Removes the unsent requests; those of `sent` await the pong of a ping.
  mutating func removeUnsent(sent: [ActionTicket], before ping: UInt64) {
    for ticket in sent { unproved.append((ticket, ping)) }
    unsent.removeAll(keepingCapacity: true)
  }

  /// Removes what the hub has read, according to the number of a pong.
  mutating func confirm(through pong: UInt64) {
    unproved.removeFirst(unproved.prefix { $0.ping <= pong }.count)
  }

  /// The connection has ended: what has no proof is unsent again.
  mutating func endConnection() {
    unsent.insert(contentsOf: unproved.map(\.ticket), at: 0)
    unproved.removeAll(keepingCapacity: true)
  }

  /// The session has ended, and with it the requests for the actions that were sent in it.
  mutating func endSession(keeping isUnsent: (ActionTicket) -> Bool) { unsent.removeAll { !isUnsent($0) } }
}
