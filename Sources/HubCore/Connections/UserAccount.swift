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
  /// Its connections with a backlog, in the order in which they take turns.
  @exclusivity(unchecked) var backlogged: [LiveConnection] = []
  /// How much of the guaranteed work of a turn was done, and the number of that turn.
  @exclusivity(unchecked) private var guaranteed: (work: Int, turn: UInt64) = (0, 0)
  /// The time up to which its actions so far use its rate.
  private var paidUntil = Duration.zero

  init(user: UInt32) { self.user = user }
}

// MARK: - Work

extension UserAccount {
  /// How much of a turn's guaranteed work is left.
  func guarantee(_ work: Int, inTurn turn: UInt64) -> Int { guaranteed.turn == turn ? work - guaranteed.work : work }

  /// Notes guaranteed work that was done.
  func noteGuaranteed(_ work: Int, inTurn turn: UInt64) {
    guaranteed = (guaranteed.turn == turn ? guaranteed.work + work : work, turn)
  }

  /// How many frames and actions may be handled now; a second's worth after a pause.
  func allowance(at now: Duration, _ limits: HubLimits) -> Int {
    guard let rate = limits.actionsPerSecond else { return .max }
    let rest = now + .seconds(1) - max(paidUntil, now)
    return max(Int(rest / .seconds(1) * Double(rate)), 0)
  }

  /// The time at which a hundredth of a second's worth may be handled again, or one action.
  func allowanceTime(_ limits: HubLimits) -> Duration {
    guard let rate = limits.actionsPerSecond else { return .zero }
    return paidUntil - .seconds(1) + .seconds(1) / rate * max(rate / 100, 1) + .milliseconds(1)
  }

  /// Notes frames and actions that were handled.
  func use(_ count: Int, at now: Duration, _ limits: HubLimits) {
    guard let rate = limits.actionsPerSecond, count > 0 else { return }
    paidUntil = max(paidUntil, now) + .seconds(1) / rate * count
  }
}

// MARK: - Charges

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
    release(heldBytes)
    if account.connectionCount == 0 { accounts[account.user] = nil }
  }

  /// Charges a connection's user for what is kept of its frames. If the user holds too much, its connection that holds
  /// most is closed.
  mutating func charge(_ connection: LiveConnection, at now: Duration) {
    let difference = connection.heldBytes - connection.chargedBytes
    // First, since this connection may be the one that is closed, and pays back what it was charged.
    connection.chargedBytes += difference
    charge(connection.account, difference, at: now)
  }

  /// The same for a connection that has not said *hello*.
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
      the connections of user \(account.user) hold \(account.heldBytes) bytes that are unfinished or not read, and this \
      one most; this hub keeps \(limits.heldBytesPerUser) for one user, and less when it keeps much for others
      """
    if let largest = largestHolder(of: account) { fail(largest, PeerError(.tooManyBytes, reason), at: now) }
  }

  /// Whether a user may hold more, by dbus-broker's rule: as many again of every user, and of one more, must fit into
  /// what is left. So each of n users can hold between 1/n and 1/n² of everything, and nobody can exhaust it.
  private func mayHold(_ charge: Int, for account: UserAccount) -> Bool {
    let (share, users) = (account.heldBytes, accounts.count)
    return (users + 1) * (share + charge) - share <= limits.heldBytes - heldBytes
  }

  /// Notes that bytes are held no more. After a peak the memory is given back to the system.
  private mutating func release(_ count: Int) {
    heldBytes -= count
    guard heldPeak > limits.heldPeakBytes, heldBytes < heldPeak / 4 else { return }
    heldPeak = heldBytes
    commandList.append(.releaseMemory)
  }

  /// The shell could not write everything at once; it will call `drained`.
  ///
  /// - Parameters:
  ///   - id: The connection.
  ///   - queuedBytes: How many bytes it keeps for the connection, which the user is charged for.
  ///   - now: A monotonic time.
  public mutating func isBusy(_ id: ConnectionID, queuedBytes: Int = 0, at now: Duration = .zero) {
    guard case .live(let connection) = phase(of: id) else { return }
    connection.isBusy = true
    guard queuedBytes != connection.queuedBytes else { return }
    connection.queuedBytes = queuedBytes
    charge(connection, at: now)
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
