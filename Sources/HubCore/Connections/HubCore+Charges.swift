import Wire

extension HubCore {
  /// Records that a connection has ended, and removes an unused account.
  mutating func leave(_ account: UserAccount, heldBytes: Int) {
    account.connectionCount -= 1
    release(heldBytes, of: account)
    if account.connectionCount == 0 { accounts.close(account, isKept: limits.actionsPerSecond != nil) }
  }

  /// Charges a connection's user for the bytes that are held for it. If the user holds too much, the hub closes its
  /// connection that holds the most.
  mutating func charge(_ connection: LiveConnection, at now: Duration) {
    // Its hub bounds what its clients send.
    guard !connection.isRemote else { return }
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

  /// Refunds what is no longer held for a connection, to which it was written.
  mutating func refund(_ connection: LiveConnection) {
    let difference = connection.chargedBytes - connection.heldBytes
    guard difference > 0, !connection.isRemote else { return }
    connection.chargedBytes -= difference
    noteDescription(of: connection)
    release(difference, of: connection.account)
  }

  private mutating func charge(_ account: UserAccount, _ difference: Int, at now: Duration) {
    guard difference > 0 else { return release(-difference, of: account) }
    let isWithinShare = accounts.mayHold(difference, for: account, limits)
    accounts.hold(difference, for: account)
    guard account.heldBytes > limits.heldBytesPerUser || !isWithinShare else { return }
    let reason = """
      the connections of user \(account.user) hold \(account.heldBytes) bytes that are unfinished, unread or \
      unacknowledged, and this one most; this hub keeps \(limits.heldBytesPerUser) for one user, and less when it keeps \
      much for others
      """
    if let largest = largestHolder(of: account) { fail(largest, PeerError(.tooManyBytes, reason), at: now) }
  }

  /// Refunds bytes to a user. After a peak, asks the shell to return memory to the system.
  private mutating func release(_ count: Int, of account: UserAccount) {
    if accounts.release(count, of: account, limits) { commandBuffer.append(.releaseMemory) }
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
    for index in connections.indices {
      let bytes: Int
      switch connections[index] {
      case .greeting(let greeting) where greeting.account === account: bytes = greeting.decoder.heldBytes
      case .live(let connection) where connection.account === account: bytes = connection.heldBytes
      case .greeting, .live, .free, .closing: continue
      }
      if bytes > largest?.bytes ?? -1 { largest = (connections.id(at: index), bytes) }
    }
    return largest?.id
  }
}
