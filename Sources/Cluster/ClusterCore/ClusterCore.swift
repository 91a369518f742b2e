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
  /// A leader's turns that no transaction contains yet. They are not a part of the role, whose copies would copy them.
  var waiting: [WaitingTurn] = []
  var group = EntryGroup()
  /// The time until which the next entry waits for the actions of its group; nil if none waits.
  var groupEnd: Duration?
  /// The transaction beside it.
  var aside: SideTransaction?
  var lastNumber: UInt64 = 0
  /// The read that has no answer yet.
  var reading: (number: UInt64, read: LogRead)?
  /// True if the entries are read again after that, because the watch has lost events meanwhile.
  var readsAgain = false
  var readAt: Duration
  /// The next entry, whose parts are being read.
  var incomplete: EncodedEntry?
  /// The time at which the last entry or beat of a leader arrived from the store.
  var storeSignAt: Duration
  /// Effects of leaders before the last one may run until this time, if one of them was silent. A leader that waits for
  /// that can hand over before it has started its own.
  var earlierEffectsEnd: Duration
  /// The id of the store's cluster, as of the last proof.
  var store: UInt64 = 0
  /// The last revision of the store that is known.
  var lastRevision: UInt64 = 0
  /// The time since which the store refuses to write, because it is full.
  var fullSince: Duration?
  /// The next removal happens no earlier.
  var removeAt: Duration
  var registration = Registration()
  /// The history that this node's claim begins, while the log has none.
  var begun: LogHistory?
  var window: CompactionWindow
  /// The revision of the last beat.
  var beatRevision: UInt64?
  /// The open links, with the leadership that the other side has last announced.
  var links: [NodeName: Leadership?] = [:]
  var route = Route.none
  /// The number of the way of actions to the leader: each new one has another.
  var wayNumber: UInt64 = 0
  /// The linked nodes that take sessions of relays.
  var takesRelays: Set<NodeName> = []
  var relays: Relays
  var upstreams = Upstreams()
  var held = HeldActions()
  var trimPlan: TrimPlan
  /// The end of the journal on disk.
  var storedPosition: UInt64
  /// The position that the leader has announced last.
  var announced: UInt64 = 0
  var snapshotRequest: SnapshotRequest?
  /// True while the node lacks entries that the log no longer has.
  package internal(set) var needsSnapshot = false
  /// True if those are in the log, with another schema than that of the feature.
  package internal(set) var lacksSchema = false
  /// The node whose last snapshot was not of this log; another one is asked first.
  var avoided: NodeName?
  /// The number of snapshots in sequence that the log had passed when they arrived, and the time until which no other one
  /// is asked for after the last of them.
  var (passedSnapshots, nextRequestAt) = (0, Duration.zero)
  /// The linked nodes that send snapshots.
  package internal(set) var givers: Set<NodeName> = []
  /// A snapshot that has arrived during a proof, which tells whether it is needed.
  var offered: JournalPlace?
  /// A snapshot that has arrived and is being proved, in place of the journal.
  var candidate: JournalPlace?
  /// An existential, which makes the core a value that is passed by its address: as one of some 200 parts in registers, the
  /// compiler's check of its ownership took 30 s.
  var random: any RandomNumberGenerator & Sendable
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
    (self.now, readAt, storeSignAt, removeAt) = (now, now, now, now)
    // The process does not know when the entries of its journal were stored.
    earlierEffectsEnd = now + options.effectsStart
    storedPosition = journal.point.position
    trimPlan = TrimPlan(
      members: options.members, keptBytes: options.keptBytes, stepBytes: options.trimStepBytes)
    trimPlan.note(options.node, stored: storedPosition)
    random = SplitMix(seed: options.process)
    relays = Relays(recent: RecentEntries(byteLimit: options.relayBytes), beatAt: now)
    window = CompactionWindow(writes: options.compactedWrites, bytes: options.compactedBytes)
    prove()
  }

  /// The commands since the last call, in order.
  package mutating func takeCommands() -> [ClusterCommand] {
    updateRelays()
    let current = currentStanding
    if current != standing {
      standing = current
      emit(.standingChanged(current))
    }
    defer { commands = [] }
    return commands
  }

  mutating func emit(_ command: ClusterCommand) { commands.append(command) }

  /// Sends actions to a leader, together with those of the same session that follow each other.
  mutating func send(
    _ actions: [[UInt8]], from first: UInt64, of session: ClusterSession, inTerm term: UInt64, to node: NodeName
  ) {
    guard case .send(.actions(term, session, let start, var earlier), node)? = commands.last,
      start + UInt64(earlier.count) == first
    else { return emit(.send(.actions(term: term, session, first: first, actions), to: node)) }
    // Before the change, so that the actions are not copied.
    commands.removeLast()
    earlier += actions
    emit(.send(.actions(term: term, session, first: start, earlier), to: node))
  }

  private var currentStanding: Standing {
    switch role {
    case .proving: return .starting
    case .refused(let refusal, _): return .refused(refusal)
    case .follower(let follower), .claiming(_, let follower):
      if follower.provenRevision != nil { return .starting }
      if let fullSince { return .storeFull(since: fullSince) }
      return now - follower.currentAt < options.takeoverAfter
        ? .current(leads: false) : .waiting(since: follower.currentAt)
    case .leader(let leader):
      if let fullSince { return .storeFull(since: fullSince) }
      return now - leader.confirmedAt < options.takeoverAfter
        ? .current(leads: true) : .waiting(since: leader.confirmedAt)
    }
  }

  /// The term in which this node leads; nil if it does not.
  package var leadingTerm: UInt64? {
    if case .leader(let leader) = role { leader.leadership.term } else { nil }
  }

  /// The number of entries that the leader has announced and that this node has not applied.
  package var lag: UInt64 { announced > point.position ? announced - point.position : 0 }

  /// The nodes to which a link is open, in order.
  package var linkedNodes: [NodeName] { links.keys.sorted() }

  /// The position up to which a node's journal is on disk, as far as it has been reported.
  package func stored(by node: NodeName) -> UInt64 { trimPlan.stored(by: node) }

  /// The bytes of the actions that the node holds for its clients; the shell stops reading above a limit.
  package var heldByteCount: Int { held.byteCount }

  // MARK: Time

  /// Tells the time, which never decreases. It must be one that also passes while the machine sleeps.
  package mutating func advance(to time: Duration) {
    now = max(now, time)
    retryTransaction()
    tendRelays()
    if isRelay { tendUpstream() }
    switch role {
    case .proving(let isBehind):
      // The log may have changed before a node has sent its state.
      guard isBehind else { break }
      if now - readAt < .seconds(5) { requestSnapshot() } else { prove() }
    case .refused(let refusal, let retryAt):
      if !refusal.isFinal, now >= retryAt { prove() }
    case .follower(let follower):
      checkRegistration()
      continueFollowing(follower)
    case .claiming: checkRegistration()
    case .leader:
      checkRegistration()
      continueLeading()
    }
  }

  /// The time at which `advance` has something to do; nil if only an event can change something.
  package var nextTime: Duration? {
    var times: [Duration] = []
    if let retryAt = pending?.retryAt { times.append(retryAt) }
    switch role {
    case .proving(let isBehind):
      if isBehind {
        // If nobody can be asked, it is later than the time to ask.
        let until = snapshotRequest?.until ?? now
        times.append(min(until > now ? until : now + options.retryInterval, readAt + .seconds(5)))
      }
    case .refused(let refusal, let retryAt): if !refusal.isFinal { times.append(retryAt) }
    case .follower where isRelay: break
    case .follower(let follower):
      times += [readAt + options.pollInterval, max(claimTime(follower), now + options.retryInterval)]
      if now - follower.currentAt < options.takeoverAfter { times.append(follower.currentAt + options.takeoverAfter) }
      if claimTime(follower) > now { times.append(claimTime(follower)) }
      if let end = leaderWaitEnd(follower), end > now { times.append(end) }
      times.append(registration.checkAt)
    case .claiming: times.append(registration.checkAt)
    case .leader(let leader): times += leadingTimes(leader) + [registration.checkAt]
    }
    if isRelay { times += relayTimes }
    if !relays.linked.isEmpty { times.append(relays.beatAt) }
    return times.min()
  }

  /// Stops serving.
  mutating func refuse(_ refusal: Refusal) {
    stopLeading()
    stopAsking()
    discardSnapshots()
    held.removeAll()
    role = .refused(refusal, retryAt: now + .seconds(1))
  }

  /// Forgets what was asked of the store.
  mutating func stopAsking() {
    (pending, aside, reading, incomplete, fullSince) = (nil, nil, nil, nil, nil)
    readsAgain = false
    registration.checking = nil
    route = .none
  }
}
