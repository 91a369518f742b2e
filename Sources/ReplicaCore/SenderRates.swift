package import Wire

/// The actions per second of each client and user, from the counters that a hub publishes at most once a second.
package struct SenderRates: Sendable {
  private var last: (senders: [UInt64: UInt64], time: Duration)?
  /// The actions per second by the numbers of the clients, without those that sent none.
  package private(set) var rates: [UInt64: Double] = [:]
  /// The number of intervals that were measured.
  package private(set) var intervals = 0
  /// The time without news after which nothing has happened: a hub publishes a second after the first event.
  private static let silence = Duration.milliseconds(2500)

  /// Creates rates that are not known yet.
  package init() {}

  /// Takes the metrics that have arrived.
  package mutating func take(_ metrics: HubMetrics, at now: Duration) {
    let senders = Dictionary(uniqueKeysWithValues: metrics.senders.map { ($0.id, $0.actions) })
    defer { last = (senders, now) }
    guard let last else { return }
    let seconds = (now - last.time) / .seconds(1)
    guard seconds > 0 else { return }
    rates = [:]
    for (id, actions) in senders {
      let before = last.senders[id] ?? 0
      if actions > before { rates[id] = Double(actions - before) / seconds }
    }
    intervals += 1
  }

  /// Notes that no metrics have arrived until now.
  package mutating func rest(at now: Duration) {
    guard let last, now - last.time > Self.silence else { return }
    (rates, self.last) = ([:], (last.senders, now))
  }

  /// The users of clients, those with the most actions per second first.
  package func users(of clients: [Attendee]) -> [(user: UInt32, clients: Int, rate: Double)] {
    Dictionary(grouping: clients, by: \.user).map { user, clients in
      (user, clients.count, clients.reduce(0) { $0 + (rates[$1.id] ?? 0) })
    }.sorted { ($1.rate, $0.user) < ($0.rate, $1.user) }
  }
}
