import Wire

extension HubCore {
  /// Returns the account of a user, and creates it for its first connection.
  ///
  /// One whose connections have ended is used again while its actions count towards its rate, so that a user who
  /// connects again has no fresh allowance.
  mutating func account(of user: UInt32, at now: Duration) -> UserAccount {
    if let account = accounts[user] { return account }
    let account = restingAccounts.removeValue(forKey: user) ?? UserAccount(user: user)
    if !restingAccounts.isEmpty { restingAccounts = restingAccounts.filter { !$0.value.isPaid(at: now) } }
    accounts[user] = account
    return account
  }

  /// Records that a connection has ended, and removes an unused account.
  mutating func leave(_ account: UserAccount, heldBytes: Int) {
    connectionCount -= 1
    account.connectionCount -= 1
    account.heldBytes -= heldBytes
    release(heldBytes)
    guard account.connectionCount == 0 else { return }
    accounts[account.user] = nil
    if limits.actionsPerSecond != nil { restingAccounts[account.user] = account }
  }

  /// Charges a connection's user for the bytes that are held for it. If the user holds too much, the hub closes its
  /// connection that holds the most.
  mutating func charge(_ connection: LiveConnection, at now: Duration) {
    let difference = connection.heldBytes - connection.chargedBytes
    // Before the check below, which may close this very connection and refund its charge.
    connection.chargedBytes += difference
    if difference != 0 { noteDescription(of: connection) }
    charge(connection.account, difference, at: now)
  }

  /// Charges the user of a connection that has not sent *hello* yet.
  mutating func charge(_ greeting: Greeting, at now: Duration) {
    let difference = greeting.decoder.heldBytes - greeting.chargedBytes
    greeting.chargedBytes += difference
    charge(greeting.account, difference, at: now)
  }

  private mutating func charge(_ account: UserAccount, _ difference: Int, at now: Duration) {
    guard difference > 0 else {
      account.heldBytes += difference
      return release(-difference)
    }
    let isWithinShare = mayHold(difference, for: account)
    account.heldBytes += difference
    heldBytes += difference
    heldPeak = max(heldPeak, heldBytes)
    guard account.heldBytes > limits.heldBytesPerUser || !isWithinShare else { return }
    let reason = """
      the connections of user \(account.user) hold \(account.heldBytes) bytes that are unfinished, unread or \
      unacknowledged, and this one most; this hub keeps \(limits.heldBytesPerUser) for one user, and less when it keeps \
      much for others
      """
    if let largest = largestHolder(of: account) { fail(largest, PeerError(.tooManyBytes, reason), at: now) }
  }

  /// Returns true if a user may hold more, by dbus-broker's rule: what the other users leave of the budget must be at
  /// least the user's new total times the number of users plus one. So each of n users can hold between 1/n and 1/n² of
  /// the budget, and nobody can exhaust it.
  private func mayHold(_ charge: Int, for account: UserAccount) -> Bool {
    let (share, users) = (account.heldBytes, accounts.count)
    return (users + 1) * (share + charge) - share <= limits.heldBytes - heldBytes
  }

  /// Records that bytes were released. After a peak, asks the shell to return memory to the system.
  private mutating func release(_ count: Int) {
    heldBytes -= count
    guard heldPeak > limits.heldPeakBytes, heldBytes < heldPeak / 4 else { return }
    heldPeak = heldBytes
    commandList.append(.releaseMemory)
  }

  /// Records that the shell could not write everything at once; it will call `drained`.
  ///
  /// - Parameters:
  ///   - id: The connection.
  ///   - queuedBytes: The number of bytes that the shell keeps for the connection. Its user is charged for them.
  ///   - now: A monotonic time.
  package mutating func noteBusy(_ id: ConnectionID, queuedBytes: Int = 0, at now: Duration = .zero) {
    guard case .live(let connection) = phase(of: id) else { return }
    connection.isBusy = true
    guard queuedBytes != connection.queuedBytes else { return }
    connection.account.output.queuedBytes += queuedBytes - connection.queuedBytes
    connection.queuedBytes = queuedBytes
    charge(connection, at: now)
  }

  /// Returns the connection of a user that holds the most bytes.
  /// - Complexity: O(connections).
  private func largestHolder(of account: UserAccount) -> ConnectionID? {
    var largest: (id: ConnectionID, bytes: Int)?
    for index in slots.indices {
      let bytes: Int
      switch slots[index].phase {
      case .greeting(let greeting) where greeting.account === account: bytes = greeting.decoder.heldBytes
      case .live(let connection) where connection.account === account: bytes = connection.heldBytes
      case .greeting, .live, .free, .closing: continue
      }
      if bytes > largest?.bytes ?? -1 {
        largest = (ConnectionID(slot: Int32(index), generation: slots[index].generation), bytes)
      }
    }
    return largest?.id
  }
}
