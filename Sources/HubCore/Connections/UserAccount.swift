import Wire

/// What one user of the machine takes of the hub, over all its connections.
///
/// Limits apply to it before they apply to everyone, so that one user cannot take what others need.
final class UserAccount {
  let user: UInt32
  /// How many of its connections are served.
  @exclusivity(unchecked) var connectionCount = 0
  /// How many bytes of cut frames and of frames that wait its connections hold.
  @exclusivity(unchecked) var heldBytes = 0

  init(user: UInt32) { self.user = user }
}

extension HubCore {
  /// The account of a user, made at its first connection.
  mutating func account(of user: UInt32) -> UserAccount {
    if let account = accounts[user] { return account }
    let account = UserAccount(user: user)
    accounts[user] = account
    return account
  }

  /// Notes that a connection is served no more.
  mutating func leave(_ account: UserAccount, heldBytes: Int) {
    connectionCount -= 1
    account.connectionCount -= 1
    account.heldBytes -= heldBytes
    if account.connectionCount == 0 { accounts[account.user] = nil }
  }

  /// Charges a connection's user for what is kept of its frames. If the user holds too much, its connection that holds
  /// most is closed.
  mutating func charge(_ connection: LiveConnection, at now: Duration) {
    charge(connection.account, connection.heldBytes - connection.chargedBytes, at: now)
    connection.chargedBytes = connection.heldBytes
  }

  /// The same for a connection that has not said *hello*.
  mutating func charge(_ greeting: Greeting, at now: Duration) {
    charge(greeting.account, greeting.decoder.heldBytes - greeting.chargedBytes, at: now)
    greeting.chargedBytes = greeting.decoder.heldBytes
  }

  private mutating func charge(_ account: UserAccount, _ difference: Int, at now: Duration) {
    account.heldBytes += difference
    guard difference > 0, account.heldBytes > limits.heldBytesPerUser else { return }
    let reason = """
      the connections of user \(account.user) hold \(account.heldBytes) bytes of unfinished frames, and this one most; \
      this hub keeps \(limits.heldBytesPerUser) for one user
      """
    if let largest = largestHolder(of: account) { fail(largest, PeerError(.tooManyBytes, reason), at: now) }
  }

  /// The connection of a user that holds most bytes.
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
