/// The resource accounts of all users, and the bytes that are held for all of them.
struct UserAccounts {
  /// The accounts of the users with connections.
  private var connected: [UInt32: UserAccount] = [:]
  /// The accounts of users without connections, whose actions may still count towards their rate.
  private var resting: [UInt32: UserAccount] = [:]
  /// The users whose connections wait until sockets have accepted earlier output.
  var paused: [UserAccount] = []
  /// The number of bytes held for all connections, and the maximum since memory was last returned to the system.
  private(set) var (heldBytes, heldPeak) = (0, 0)

  /// The number of users with connections.
  var count: Int { connected.count }

  /// The account of a user with connections.
  subscript(user: UInt32) -> UserAccount? { connected[user] }

  /// Returns the account of a user, and creates it for its first connection.
  ///
  /// One whose connections have ended is used again while its actions count towards its rate, so that a user who
  /// connects again has no fresh allowance.
  mutating func open(_ user: UInt32, at now: Duration) -> UserAccount {
    if let account = connected[user] { return account }
    let account = resting.removeValue(forKey: user) ?? UserAccount(user: user)
    if !resting.isEmpty { resting = resting.filter { !$0.value.isPaid(at: now) } }
    connected[user] = account
    return account
  }

  /// Closes the account of a user whose last connection has ended.
  ///
  /// - Parameter isKept: True if its actions count towards a rate.
  mutating func close(_ account: UserAccount, isKept: Bool) {
    connected[account.user] = nil
    if isKept { resting[account.user] = account }
  }

  /// Returns true if a user may hold more, by dbus-broker's rule: what the other users leave of the budget must be at
  /// least the user's new total times the number of users plus one. So each of n users can hold between 1/n and 1/n² of
  /// the budget, and nobody can exhaust it.
  func mayHold(_ charge: Int, for account: UserAccount, _ limits: HubLimits) -> Bool {
    let share = account.heldBytes
    return (count + 1) * (share + charge) - share <= limits.heldBytes - heldBytes
  }

  /// The bytes that may be written to one user's connections in a turn: a quarter of what may be held for the user.
  func outputBudget(_ limits: HubLimits) -> Int {
    min(limits.heldBytesPerUser, max(limits.heldBytes - heldBytes, 0) / (count + 1)) / 4
  }

  /// Charges a user for bytes.
  mutating func hold(_ byteCount: Int, for account: UserAccount) {
    account.heldBytes += byteCount
    heldBytes += byteCount
    heldPeak = max(heldPeak, heldBytes)
  }

  /// Refunds bytes to a user. Returns true if the memory of a peak should now be returned to the system.
  mutating func release(_ byteCount: Int, of account: UserAccount, _ limits: HubLimits) -> Bool {
    account.heldBytes -= byteCount
    heldBytes -= byteCount
    guard heldPeak > limits.heldPeakBytes, heldBytes < heldPeak / 4 else { return false }
    heldPeak = heldBytes
    return true
  }
}
