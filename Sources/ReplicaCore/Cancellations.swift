/// The actions whose effects the hub is to cancel, until it has read the requests and acknowledged the actions.
///
/// A *cancel* has no answer, and may be lost with its connection. So a ping follows the requests of a turn, and its pong
/// proves that the hub has read them. The hub answers a ping at once, also while its log has not stored the action: if it
/// ends before, the action is sent again, and starts its effects again. So requests without a proof, and those of actions
/// without an outcome, are sent again on the next connection; for the hub, a second one is no request.
struct Cancellations {
  /// The requests that are not sent on this connection yet, oldest first.
  private(set) var unsent: [ActionTicket] = []
  /// The sent ones without a proof, oldest first, with the number of the ping after each.
  private var unproved: [(ticket: ActionTicket, ping: UInt64)] = []
  /// The ones that the hub has read, and whose actions are pending.
  private var read: [ActionTicket] = []

  /// The number of requests.
  var count: Int { unsent.count + unproved.count + read.count }

  /// Adds a request.
  mutating func add(_ ticket: ActionTicket) { unsent.append(ticket) }

  /// Removes the unsent requests; those of `sent` await the pong of a ping.
  mutating func removeUnsent(sent: [ActionTicket], before ping: UInt64) {
    for ticket in sent { unproved.append((ticket, ping)) }
    unsent.removeAll(keepingCapacity: true)
  }

  /// Removes what the hub has read, according to the number of a pong.
  ///
  /// - Parameter firstPending: The first action without an outcome; nil if there is none.
  mutating func confirm(through pong: UInt64, firstPending: ActionTicket?) {
    let count = unproved.prefix { $0.ping <= pong }.count
    read += unproved[..<count].map(\.ticket)
    unproved.removeFirst(count)
    settle(firstPending: firstPending)
  }

  /// Removes the read requests of the actions that have an outcome now.
  mutating func settle(firstPending: ActionTicket?) {
    guard !read.isEmpty else { return }
    guard let firstPending else { return read.removeAll(keepingCapacity: true) }
    read.removeAll { $0 < firstPending }
  }

  /// The connection has ended: what has no proof is unsent again.
  mutating func endConnection() {
    unsent.insert(contentsOf: read + unproved.map(\.ticket), at: 0)
    unproved.removeAll(keepingCapacity: true)
    read.removeAll(keepingCapacity: true)
  }

  /// The session has ended, and with it the requests for the actions that were sent in it.
  mutating func endSession(keeping isUnsent: (ActionTicket) -> Bool) { unsent.removeAll { !isUnsent($0) } }
}
