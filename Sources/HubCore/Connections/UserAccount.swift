import Wire

/// The resources that one user of the machine takes over all its connections.
///
/// The limits of a user are reached before the limits of the hub, so one user cannot exhaust the hub for others.
final class UserAccount {
  let user: UInt32
  /// The number of its open connections.
  @exclusivity(unchecked) var connectionCount = 0
  /// The number of bytes held for its connections.
  @exclusivity(unchecked) var heldBytes = 0
  /// The output of its connections.
  @exclusivity(unchecked) var output = OutputPause()
  /// Its connections with a backlog, in the order in which they take turns.
  @exclusivity(unchecked) var backlogged: [LiveConnection] = []
  /// The guaranteed work that was done in a turn, and the number of that turn.
  @exclusivity(unchecked) private var guaranteed: (work: Int, turn: UInt64) = (0, 0)
  /// The time up to which its actions so far have used its rate.
  private var paidUntil = Duration.zero
  /// The frames of actions since the last `use`.
  @exclusivity(unchecked) private var framesOfActions = 0

  init(user: UInt32) { self.user = user }
}

// MARK: - Work

extension UserAccount {
  /// Returns the user's remaining guaranteed work in a turn.
  func guarantee(_ work: Int, inTurn turn: UInt64) -> Int { guaranteed.turn == turn ? work - guaranteed.work : work }

  /// Records guaranteed work that was done.
  func noteGuaranteed(_ work: Int, inTurn turn: UInt64) {
    guaranteed = (guaranteed.turn == turn ? guaranteed.work + work : work, turn)
  }

  /// Returns the number of frames and actions that may be handled now; after a pause, one second's worth.
  func allowance(at now: Duration, _ limits: HubLimits) -> Int {
    guard let rate = limits.actionsPerSecond else { return .max }
    let rest = now + .seconds(1) - max(paidUntil, now)
    return max(Int(rest.attoseconds * Int128(rate) / Duration.seconds(1).attoseconds), 0)
  }

  /// The time at which a hundredth of a second's worth of actions, or at least one, may be handled again.
  func allowanceTime(_ limits: HubLimits) -> Duration {
    guard let rate = limits.actionsPerSecond else { return .zero }
    return paidUntil - .seconds(1) + .seconds(1) / rate * max(rate / 100, 1) + .milliseconds(1)
  }

  /// Returns true if its actions so far do not limit later ones.
  func isPaid(at now: Duration) -> Bool { paidUntil <= now }

  /// Records a frame whose actions count towards the rate, now or later, so that it does not count as well.
  func noteFrameOfActions() { framesOfActions += 1 }

  /// Records handled frames and actions.
  func use(_ count: Int, at now: Duration, _ limits: HubLimits) {
    guard let rate = limits.actionsPerSecond, count > 0 else { return }
    paidUntil = max(paidUntil, now) + .seconds(1) / rate * (count - framesOfActions)
    framesOfActions = 0
  }
}

// MARK: - Charges

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
