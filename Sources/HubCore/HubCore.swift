package import FeatureCore
package import TurnLog
package import Wire

/// The authoritative hub without I/O: it owns the feature's engine and the session of every client.
///
/// Bytes, times and events are arguments; the shell's work is returned as `commands`. The core has no socket, clock,
/// thread or file, so the same inputs give the same bytes. One turn of the loop is:
///
/// 1. `received`, `connected`, `inputEnded`, `ended`, `drained`, `expire`, in any number and order. Actions are decoded
///    and reduced in place as they arrive, as many as the shell allows; other frames wait as bytes.
/// 2. `workOnBacklog`, while frames wait, the log is not behind, and time is left.
/// 3. `endTurn(plan:)`: one delta, one acknowledgement and one write for each session with pending output, however many
///    actions the turn applied.
/// 4. The shell executes `commands` and calls `clear()`.
///
/// A client that reads slowly is sent nothing while its socket is full, then one delta from its version to the current
/// one. So the memory that the hub keeps for a client is bounded, whatever the client does.
package struct HubCore: ~Copyable {
  /// The hub's name for clients, such as `storehubd 0.1.0`.
  package let name: String
  /// The place of its journal; nil if it has none. Sent to clients that may read the files.
  package var journalPlace: JournalPlace?
  /// The limits for peers.
  package let limits: HubLimits
  /// The users and groups that may use the hub, with their rights.
  package internal(set) var policy: AccessPolicy
  /// The numbers of users. Set it before the first connection.
  package var userNumbers = UserNumbers.shared
  var commandBuffer = CommandBuffer()
  /// The earliest time at which `expire` has something to do, or earlier; nil when nothing has a time limit.
  package internal(set) var deadline: Duration? {
    didSet { hasNewDeadline = true }
  }
  /// True if `deadline` was set since `takeNewDeadline`.
  private var hasNewDeadline = false

  package let engine: any Engine
  let applyBatch: ActionBatch.Apply
  /// True if each action is checked after it was applied, and may be taken back: the reducer may refuse it, or the
  /// state after it may be unreadable.
  let checksEach: Bool
  /// The turns on their way to the log; nil for a hub without a log.
  let turns: UnstoredTurns?
  /// Identifies the history of this hub's revisions. It changes when revisions were lost.
  let historyID: UInt64
  /// The action that is reduced, for the next process; nil if it is recorded nowhere.
  private(set) var mark: ActionMark?
  /// Receives the offset of the first frame that begins in each read, for the names of its actions.
  var readStart: UnsafeMutablePointer<Int>?
  let attendance: Attendance
  /// What the reducer reads besides the state and the action.
  let surroundings: HubSurroundings
  /// The calendar, the time zone and the locale of the hub that leads; nil if they are this hub's.
  var leaderRegion: RegionalSettings?
  /// The number of the last connection whose session was opened.
  var lastConnection: UInt64
  /// The published metrics.
  let metricsSource: MetricsSource
  var clusterStatus: (() -> ClusterStatus)?
  /// The time since which the state may be stale; nil if it is that of the cluster's log.
  var staleSince: Duration?
  var counters = Counters()
  /// The publishers of the roots, by their numbers: the feature's state, the hub's own and its metrics. Those of the
  /// values of views follow.
  var publishers: Publishers
  var views: ViewTable
  /// The schema of each root; that of the views only if the feature declares any.
  let schemas: [Schema]
  let schemaFingerprint: SchemaFingerprint
  var outgoing = Outgoing()
  var random: any RandomNumberGenerator
  var connections = ConnectionTable()
  var accounts = UserAccounts()
  /// The live connections by session.
  var liveSessions: [SessionID: LiveConnection] = [:]
  var detached = DetachedSessions()
  /// The effects that clients may cancel.
  var clientEffects = ClientEffects()
  var stage = HubStage.serving
  /// The part of the hub in its log.
  var role = HubRole.alone
  /// The number of attached scopes of all connections.
  var subscriptionCount = 0
  /// The connections with something to write.
  var outputs = OutputQueues()
  /// The connections with a backlog, in the order in which they take turns.
  var backlogged = BacklogQueue()
  /// The number of the turn.
  var turn: UInt64 = 0
  /// The size of the feature's state.
  var size: StateSize
  /// The plan of the last turn.
  var plan = TurnPlan()
  /// The connection whose unhandled frames were processed last in this turn, for the report of a blocked turn.
  package internal(set) var lastWork: ConnectionID?
  /// The number of reads from clients at the last turn with unfinished snapshots; nil if that turn had none.
  var snapshotReads: UInt64?
  /// The turn until which snapshots are sent in smaller pieces, because clients sent during a snapshot.
  var snapshotContentionEnd: UInt64 = 0
  /// The time at which to call `endTurn` again to send coalesced changes, or output after a pause; nil if there are
  /// none.
  package internal(set) var publicationDue: Duration?
  /// The time at which the next user that exceeded its rate may send actions again; nil if there is none.
  package internal(set) var allowanceDue: Duration?
  var fanOut = FanOutSchedule()

  /// Creates the hub of a feature.
  ///
  /// - Parameters:
  ///   - engine: The feature.
  ///   - limits: The limits for peers.
  ///   - policy: The users and groups that may use the hub, with their rights.
  ///   - name: The hub's name for clients, of at most `Welcome.nameLimit` bytes.
  ///   - history: The starting point of the hub, if it has a log or takes over from another process.
  ///   - durability: The time at which outputs are released, if the hub has a log.
  ///   - random: The source of session ids; a simulation passes its seeded generator.
  package init<State, Action>(
    _ engine: FeatureEngine<State, Action>, limits: HubLimits = HubLimits(), policy: AccessPolicy = .open,
    name: String = "", history: HubHistory? = nil, durability: Durability = .sync,
    random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  ) {
    self.init(
      engine: engine, limits: limits, policy: policy, name: name, history: history, durability: durability,
      random: random)
  }

  package init(
    engine: any Engine, limits: HubLimits = HubLimits(), policy: AccessPolicy = .open, name: String = "",
    history: HubHistory? = nil, durability: Durability = .sync,
    random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  ) {
    precondition(name.utf8.count <= Welcome.nameLimit, "a hub's name has at most \(Welcome.nameLimit) bytes")
    // A copy: drawing from the property while others are not set yet makes the release build of Swift 6.3 crash.
    var random = random
    historyID = history?.id ?? random.next()
    let ownKey = (0..<4).flatMap { _ in withUnsafeBytes(of: random.next()) { [UInt8]($0) } }
    surroundings = HubSurroundings(engine, key: ownKey, after: history?.time ?? .min)
    lastConnection = history?.lastConnection ?? 0
    // The revisions of the hub's own state must differ from those of the previous process.
    let ownRevision = history.map { $0.hubRevision.map { $0 + 1 } ?? (random.next() % (1 << 32)) << 20 } ?? 0
    (attendance, metricsSource) = (Attendance(revision: ownRevision), MetricsSource(revision: ownRevision))
    (self.engine, self.limits, self.policy, self.name, self.random) = (engine, limits, policy, name, random)
    (applyBatch, checksEach) = (engine.applyBatch, engine.mayRefuse || engine.mustReadBack)
    size = StateSize(limit: limits.stateBytes)
    let declared = engine.views
    schemas =
      [
        engine.schema, Schema(state: HubState.self, action: Never.self),
        Schema(state: HubMetrics.self, action: Never.self),
      ] + (declared.views.isEmpty ? [] : [declared.schema])
    schemaFingerprint = engine.schema.fingerprint
    turns = history.flatMap { history in
      guard history.isLogged else { return nil }
      engine.recordRestarts(after: history.effects.lastNumber)
      engine.recordSteps()
      return UnstoredTurns(engine, durability, from: history)
    }
    let visible: any StateSource = if let turns, turns.isHolding { turns.stored } else { engine }
    publishers = Publishers([
      Publisher(StateRoot.feature.index, of: visible, limits: limits),
      Publisher(StateRoot.hub.index, of: attendance, limits: limits),
      Publisher(StateRoot.metrics.index, of: metricsSource, limits: limits),
    ])
    views = ViewTable(declared, of: visible)
    if let history { adopt(history) }
    // A follower: the reducer of its clients' actions is the leader's, before the first turn too.
    if let history, history.isReplicated { leaderRegion = history.region }
    beginSize(bound: history?.stateBound)
  }

  /// The bytes that write commands refer to.
  package var output: FrameWriter { outgoing.writer }

  /// The number of bytes of the output that this turn has written.
  package var outputByteCount: Int { outgoing.byteCount }

  /// The ranges of the output that write commands refer to.
  package var ranges: [Range<Int>] { outgoing.ranges.elements }

  /// The shell's work, in order, since the last `clear()`.
  package var commands: [HubCommand] { commandBuffer.commands.elements }

  /// The reports that commands refer to.
  package var reports: [HubReport] { commandBuffer.reports }

  /// The effect commands that commands refer to.
  package var effectCommands: [EffectCommand<AnyAction>] { commandBuffer.effectCommands }

  /// What commands ask of the replicated log.
  package var forwarding: [ForwardingCommand] { commandBuffer.forwarding }

  /// Takes the commands for the replicated log up to the one with this index, or all, except those that were taken
  /// before. Each is to be performed, in this order.
  package mutating func takeForwarding(through index: Int? = nil) -> ArraySlice<ForwardingCommand> {
    commandBuffer.takeForwarding(through: index ?? commandBuffer.forwarding.count - 1)
  }

  /// The turns that the command `store` refers to.
  package var turnsToStore: [LoggedTurn] { commandBuffer.turnsToStore }

  /// The number of commands. A command may be added while others are executed.
  package var commandCount: Int { commandBuffer.commands.count }

  /// Returns the command at an index in `commands`, without copying the list.
  package func command(_ index: Int) -> HubCommand { commandBuffer.commands[index] }

  /// The bytes of `output`, lent until the core changes.
  package var outputBytes: RawSpan {
    @_lifetime(borrow self) borrowing get { outgoing.writer.span }
  }

  /// A run of `ranges`, lent until the core changes.
  @_lifetime(borrow self)
  package func ranges(_ run: Range<Int>) -> Span<Range<Int>> { outgoing.ranges.span.extracting(run) }

  /// The number of actions that took effect since the hub began; the state's revision.
  package var revision: UInt64 { engine.revision }

  /// The number of open connections, without those that are closing, and with those of clients of other hubs.
  package var connectionCount: Int { connections.openCount }

  /// The number of closing connections.
  package var closingCount: Int { connections.closingCount }

  /// The number of sessions without a connection that may be resumed.
  package var detachedSessionCount: Int { detached.count }

  /// The number of clients' actions whose effects run and may be cancelled.
  package var cancellableCount: Int { clientEffects.count }

  /// The number of kept versions of the feature's state: the published one, and those that clients still have.
  package var keptVersionCount: Int { publishers[StateRoot.feature.index].versionCount }

  /// The number of states of the feature that are kept only because clients are being sent a snapshot of them.
  package var extraStateCount: Int { publishers[StateRoot.feature.index].extraStateCount }

  /// Returns true if a turn may coalesce changes, so `endTurn` should get the time as precisely as the shell can measure
  /// it.
  package func mayCoalesce(in plan: TurnPlan) -> Bool {
    plan.isContended || subscriptionCount >= limits.coalescingThreshold
  }

  /// True if `published` should get the time at which the shell has executed the commands of this turn.
  package var hasPublished: Bool { fanOut.awaitsEnd }

  /// True until the first turn of a hub that takes over the connections of the previous process.
  var isTakingOver: Bool { if case .takingOver = stage { true } else { false } }

  /// True if the hub has sent *goodbye*, or will when the log has stored everything.
  var isShuttingDown: Bool { if case .stopping = stage { true } else { false } }

  /// True if frames, or the hub's own work, wait for `workOnBacklog`. A hub that stops handles no more frames: their
  /// clients repeat them.
  package var hasBacklog: Bool { (!backlogged.isEmpty || postponedCount > 0) && !isShuttingDown }

  /// Returns `deadline` if it was set since the last call; nil otherwise, as in most turns.
  package mutating func takeNewDeadline() -> Duration? {
    guard hasNewDeadline else { return nil }
    hasNewDeadline = false
    return deadline
  }

  /// True if another turn should follow immediately: frames wait, a snapshot or a hash can be continued, output was held
  /// back, or a count of the state's size is in progress.
  package var needsAnotherTurn: Bool {
    hasBacklog && !isLogBehind || isSendingSnapshots || heldBackCount > 0 || size.isCounting
      || outputs.hasAwaitingHashes || !accounts.paused.isEmpty && hasDrainedPause
  }

  /// True if a snapshot can be continued.
  package var isSendingSnapshots: Bool { outputs.canContinue }

  /// The number of bytes held for all connections.
  var heldBytes: Int { accounts.heldBytes }

  /// The number of connections whose output was held back in the last turn.
  package var heldBackCount: Int { outputs.heldBackCount }

  /// Removes the commands, which the shell has executed, and their bytes.
  package mutating func clear() {
    commandBuffer.removeAll()
    outgoing.removeAll()
    for index in publishers.indices { publishers[index].clear() }
  }

  /// Records from now on which action is reduced, and refuses the actions at which earlier processes have ended. Call it
  /// before `start`.
  package mutating func setMark(_ mark: ActionMark?) {
    self.mark = mark
    views.feed.mark = mark
    engine.storeReduced(in: mark?.reduced)
    if let last = mark?.last { report(.interrupted(mark?.interruptions.known(last) ?? last)) }
  }

  mutating func report(_ report: HubReport) {
    counters.note(report)
    commandBuffer.append(report)
  }
}

extension StateRoot {
  /// The index of a root in `publishers` and `schemas`.
  var index: Int { Int(rawValue) }
}
