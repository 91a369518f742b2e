/// The connections with waiting frames. Users take turns, and so do the connections of a user, so many connections give
/// a user no larger share.
struct BacklogQueue {
  /// The users that may continue, in order.
  private var accounts: [UserAccount] = []
  /// The users that have exceeded their rate of actions.
  private var throttled: [UserAccount] = []

  /// True if no frame can be handled now.
  var isEmpty: Bool { accounts.isEmpty }

  /// Adds a connection whose backlog was empty before.
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

  /// Returns the next connection and moves it and its user to the end; nil if none can continue.
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

  /// Lets users continue that may send actions again. Returns the time at which the next user may, if any.
  mutating func wake(at now: Duration, _ limits: HubLimits) -> Duration? {
    guard !throttled.isEmpty else { return nil }
    accounts += throttled.filter { $0.allowance(at: now, limits) > 0 }
    throttled.removeAll { $0.allowance(at: now, limits) > 0 }
    return throttled.lazy.map { $0.allowanceTime(limits) }.min()
  }
}
