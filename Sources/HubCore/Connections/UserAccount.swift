/// The resources that one user of the machine takes over all its connections.
///
/// The limits of a user are reached before the limits of the hub, so one user cannot exhaust the hub for others. Only the
/// core uses it, one property at a time, without the run-time exclusivity check.
final class UserAccount {
  let user: UInt32
  /// The number of its open connections.
  @exclusivity(unchecked) var connectionCount = 0
  /// The number of these without a socket (`LiveConnection.isRemote`).
  var remoteCount = 0
  /// The number of those with a socket, which is limited.
  var ownConnectionCount: Int { connectionCount - remoteCount }
  /// The number of bytes held for its connections.
  @exclusivity(unchecked) var heldBytes = 0
  /// The charge for the windows of collections that its connections have attached, in elements.
  var windowElements = 0
  /// The number of scopes of its connections that are in views.
  var viewCount = 0
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
