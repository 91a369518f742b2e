/// The connections with frames that wait, in the order in which they take turns: first the users in turn, and within a
/// user its connections. So a user with many connections gets no more than a user with one.
struct BacklogQueue {
  /// The users that may go on, in order.
  private var accounts: [UserAccount] = []
  /// The users that have sent more actions than they may in this second.
  private var throttled: [UserAccount] = []

  /// Whether a frame can be handled now.
  var isEmpty: Bool { accounts.isEmpty }

  /// Adds a connection that has just got a backlog.
  mutating func add(_ connection: LiveConnection) {
    let account = connection.account
    if account.backlogged.isEmpty { accounts.append(account) }
    account.backlogged.append(connection)
  }

  /// Removes a connection that is closing.
  mutating func remove(_ connection: LiveConnection) {
    let account = connection.account
    account.backlogged.removeAll { $0 === connection }
    guard account.backlogged.isEmpty else { return }
    accounts.removeAll { $0 === account }
    throttled.removeAll { $0 === account }
  }

  /// The connection whose turn it is, which goes to the end of both rounds; nil if none can go on.
  mutating func next(at now: Duration, _ limits: HubLimits) -> LiveConnection? {
    while let account = accounts.first {
      accounts.removeFirst()
      guard account.allowance(at: now, limits) > 0 else {
        throttled.append(account)
        continue
      }
      accounts.append(account)
      let connection = account.backlogged.removeFirst()
      account.backlogged.append(connection)
      return connection
    }
    return nil
  }

  /// Lets the users go on that may send actions again, and returns the time at which the next one may.
  mutating func wake(at now: Duration, _ limits: HubLimits) -> Duration? {
    guard !throttled.isEmpty else { return nil }
    accounts += throttled.filter { $0.allowance(at: now, limits) > 0 }
    throttled.removeAll { $0.allowance(at: now, limits) > 0 }
    return throttled.lazy.map { $0.allowanceTime(limits) }.min()
  }
}
