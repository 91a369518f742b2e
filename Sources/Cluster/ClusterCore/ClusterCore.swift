package import ClusterLog
import RandomNumbers

/// A node's part in the replicated log, without I/O: who leads, what is stored, and where actions go.
///
/// The shell passes in events (outcomes of transactions, events of the watch, messages of links, times), takes the
/// commands after each of them and executes them in order. The rules:
///
/// - *Only a transaction decides.* Reads and watches bring entries, which prove themselves by their checksums; they
///   never settle an unknown outcome. A transaction without an answer is repeated until it has one.
/// - *Taking over is appending*: one transaction changes the key `leader` and appends the opening entry of the term, on
///   the condition that the claimant has seen every entry and every beat. So a leader always has the whole log.
/// - *Followers apply changes and never reduce.* An action is acknowledged when the node has applied its entry.
/// - *Every node holds the unacknowledged actions of its clients* and sends them to each new leader.
///
/// A hub that leads passes its turns to `append`, and one that follows applies those of `apply`; both pass their clients'
/// actions to `act`. Decision 76 (`docs/decisions`) has the reasons, and the plan for `HubCore` and `TurnLog`.
///
/// ```swift
/// var core = ClusterCore(options, journal: journal, now: .zero)
/// core.transactionEnded(1, in: store, .written(revision: 7))
/// for command in core.takeCommands() { execute(command) }
/// ```
package struct ClusterCore: ~Copyable {
  package let options: ClusterOptions
  /// The history of the log to which the journal belongs; nil before the first entry.
  package internal(set) var history: LogHistory?
  /// What the node has applied.
  package internal(set) var point: LogPoint
  /// What the node may do for its clients.
  package private(set) var standing = Standing.starting

  var now: Duration
  var role = Role.proving(isBehind: false)
  /// The entry at `point`.
  var last: EncodedEntry?
  var pending: PendingTransaction?
  var lastNumber: UInt64 = 0
  /// The read that has no answer yet.
  var reading: (number: UInt64, read: LogRead)?
  var readAt: Duration
  /// The next entry, whose parts are being read.
  var incomplete: EncodedEntry?
  /// The time at which the last entry or beat of a leader arrived from the store.
  var storeSignAt: Duration
  /// The id of the store's cluster, as of the last proof.
  var store: UInt64 = 0
  /// The history that this node's claim begins, while the log has none.
  var begun: LogHistory?
  /// The revision of the last beat.
  var beatRevision: UInt64?
  /// The open links, with the leadership that the other side has last announced.
  var links: [NodeName: Leadership?] = [:]
  var route = Route.none
  var held = HeldActions()
  var trimPlan: TrimPlan
  /// The end of the journal on disk.
  var storedPosition: UInt64
  /// The time at which the node last asked for a snapshot.
  var snapshotRequestedAt: Duration?
  var random: SplitMix
  private var commands: [ClusterCommand] = []

  /// The way of actions to the leader.
  enum Route: Equatable {
    case none
    case here
    case link(NodeName)
  }

  /// Where a node starts.
  package struct Journal: Sendable {
    /// The history; nil for an empty journal.
    package var history: LogHistory?
    /// The point after the last entry.
    package var point: LogPoint
    /// The last entry; nil for an empty journal.
    package var last: EncodedEntry?

    /// An empty journal.
    package static let empty = Journal(history: nil, point: .start, last: nil)

    /// Describes a journal.
    package init(history: LogHistory?, point: LogPoint, last: EncodedEntry?) {
      precondition((last?.entry.position ?? 0) == point.position, "the last entry is not that of the point")
      (self.history, self.point, self.last) = (history, point, last)
    }
  }

  /// Starts a node with its journal, which it proves first.
  package init(_ options: ClusterOptions, journal: Journal, now: Duration) {
    (self.options, history, point, last) = (options, journal.history, journal.point, journal.last)
    (self.now, readAt, storeSignAt) = (now, now, now)
    storedPosition = journal.point.position
    trimPlan = TrimPlan(members: options.members, kept: options.keptEntries)
    trimPlan.note(options.node, stored: storedPosition)
    random = SplitMix(seed: options.process)
    prove()
  }

  /// The commands since the last call, in order.
  package mutating func takeCommands() -> [ClusterCommand] {
    let current = currentStanding
    if current != standing {
      standing = current
      emit(.standingChanged(current))
    }
    defer { commands = [] }
    return commands
  }

  mutating func emit(_ command: ClusterCommand) { commands.append(command) }

  private var currentStanding: Standing {
    switch role {
    case .proving: .starting
    case .refused(let refusal, _): .refused(refusal)
    case .follower(let follower), .claiming(_, let follower):
      now - follower.currentAt < options.takeoverAfter ? .current(leads: false) : .waiting(since: follower.currentAt)
    case .leader(let leader):
      now - leader.confirmedAt < options.takeoverAfter
        ? .current(leads: true) : .waiting(since: leader.confirmedAt)
    }
  }

  /// The term in which this node leads; nil if it does not.
  package var leadingTerm: UInt64? {
    if case .leader(let leader) = role { leader.leadership.term } else { nil }
  }

  /// The bytes of the actions that the node holds for its clients; the shell stops reading above a limit.
  package var heldByteCount: Int { held.byteCount }

  // MARK: Time

  /// Tells the time, which never decreases. It must be one that also passes while the machine sleeps.
  package mutating func advance(to time: Duration) {
    now = max(now, time)
    retryTransaction()
    switch role {
    case .proving(let isBehind):
      // The log may have changed before a node has sent its state.
      guard isBehind else { break }
      if now - readAt < .seconds(5) { requestSnapshot() } else { prove() }
    case .refused(let refusal, let retryAt):
      // A newer process is needed for a newer schema; the operator may settle everything else.
      if case .newerSchema = refusal { break }
      if now >= retryAt { prove() }
    case .follower(let follower): continueFollowing(follower)
    case .claiming: break
    case .leader: continueLeading()
    }
  }

  /// The time at which `advance` has something to do; nil if only an event can change something.
  package var nextTime: Duration? {
    var times: [Duration] = []
    if let retryAt = pending?.retryAt { times.append(retryAt) }
    switch role {
    case .proving(let isBehind): if isBehind { times.append(now + options.retryInterval) }
    case .refused(.newerSchema, _): break
    case .refused(_, let retryAt): times.append(retryAt)
    case .follower(let follower):
      times += [readAt + options.pollInterval, max(claimTime(follower), now + options.retryInterval)]
      if now - follower.currentAt < options.takeoverAfter { times.append(follower.currentAt + options.takeoverAfter) }
      if claimTime(follower) > now { times.append(claimTime(follower)) }
    case .claiming: break
    case .leader(let leader): times += leadingTimes(leader)
    }
    return times.min()
  }

  // MARK: Transactions

  mutating func transact(_ transaction: LogTransaction, for purpose: PendingTransaction.Purpose) {
    precondition(pending == nil, "a node has one transaction in flight")
    lastNumber += 1
    pending = PendingTransaction(
      number: lastNumber, transaction: transaction, purpose: purpose, firstSentAt: now, sentAt: now)
    emit(.transact(lastNumber, transaction))
  }

  private mutating func retryTransaction() {
    guard var next = pending, let retryAt = next.retryAt, now >= retryAt else { return }
    lastNumber += 1
    (next.number, next.sentAt, next.retryAt) = (lastNumber, now, nil)
    pending = next
    emit(.transact(lastNumber, next.transaction))
  }

  /// Handles the outcome of a transaction; one that the node no longer waits for is ignored.
  ///
  /// - Parameters:
  ///   - number: The number of the command.
  ///   - store: The id of the store's cluster.
  ///   - outcome: The outcome.
  package mutating func transactionEnded(_ number: UInt64, in store: UInt64, _ outcome: TransactionOutcome) {
    guard let ended = pending, ended.number == number else { return }
    switch outcome {
    case .unknown:
      pending?.retryAt = now
      retryTransaction()
    case .full: pending?.retryAt = now + options.retryInterval
    case .written(let revision):
      pending = nil
      // Nothing is learnt from a store that is not the history's.
      if let expected = begun ?? history, expected.store != store { return refuse(.restored) }
      written(ended, revision, in: store)
    case .refused(let values):
      pending = nil
      if ended.purpose != .proof, let expected = begun ?? history, expected.store != store { return refuse(.restored) }
      refused(ended, values, in: store)
    }
  }

  private mutating func written(_ ended: PendingTransaction, _ revision: UInt64, in store: UInt64) {
    switch ended.purpose {
    case .proof: proved(in: store)
    case .claim:
      guard case .claiming(let opening, _) = role else { return }
      becomeLeader(opening, confirmedAt: ended.sentAt)
    case .append, .part, .beat, .trim: leaderWrote(ended, revision)
    }
  }

  private mutating func refused(_ ended: PendingTransaction, _ values: [StoredValue?], in store: UInt64) {
    switch ended.purpose {
    case .proof: proofRefused(values, in: store)
    case .claim: claimRefused(ended, values)
    case .append: appendRefused(ended, values)
    case .part, .beat:
      // The only condition is the leadership.
      demote()
    case .trim:
      // Either another node leads, or the log is not the one that the journals have.
      demote()
      prove()
    }
  }

  /// Stops serving.
  mutating func refuse(_ refusal: Refusal) {
    stopLeading()
    (pending, reading, incomplete, route) = (nil, nil, nil, .none)
    held.removeAll()
    role = .refused(refusal, retryAt: now + .seconds(1))
  }
}
