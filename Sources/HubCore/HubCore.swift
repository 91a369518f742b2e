package import Reducers
public import TurnLog
public import Wire

/// The authority, without I/O: it owns a feature's engine and every client's session.
///
/// Bytes, time and events go in as arguments; the shell's work comes out as `commands`. The core has no socket, clock,
/// thread or file, so the same inputs give the same bytes. One turn of the loop is:
///
/// 1. `received`, `connected`, `inputEnded`, `ended`, `drained`, `expire`, in any number and order: actions are decoded
///    and reduced in place as they come, as many as the shell allows; the other frames wait as bytes;
/// 2. `workOnBacklog`, while there is one and time is left;
/// 3. `endTurn()`: one delta, one acknowledgement and one write for each session with anything pending, however many
///    actions the turn held;
/// 4. the shell carries out `commands` and calls `clear()`.
///
/// A client that reads slowly is sent nothing while its socket is full, then one delta from the version that it has to
/// the current one. So the memory that the hub keeps for a client is bounded, whatever the client does.
public struct HubCore: ~Copyable {
  /// The name by which the hub introduces itself to clients, such as `storehubd 0.1.0`.
  public let name: String
  /// The limits of peers.
  public let limits: HubLimits
  /// Who may use the hub, and for what.
  public internal(set) var policy: AccessPolicy
  /// The shell's work, in order, since the last `clear()`.
  public var commands: [HubCommand] { commandList.elements }
  var commandList = TurnList<HubCommand>()
  /// The reports that commands refer to.
  public internal(set) var reports: [HubReport] = []
  /// The effect commands that commands refer to.
  package internal(set) var effectCommands: [EffectCommand<AnyAction>] = []
  /// The turns that the command `store` refers to.
  public internal(set) var turnsToStore: [LoggedTurn] = []
  /// The earliest time at which `expire` has something to do, or earlier; nil when nothing has a time limit.
  public internal(set) var deadline: Duration?
  /// How many connections are being served; those that are closing are not counted.
  public internal(set) var connectionCount = 0
  /// How many connections are closing.
  public internal(set) var closingCount = 0

  package let engine: any Engine
  /// What is on its way to the log; nil for a hub without one.
  let turns: UnstoredTurns?
  /// Names the history of this hub's revisions; another one when revisions were lost.
  let historyID: UInt64
  let attendance: Attendance
  /// The figures that are published.
  let figures: MetricsSource
  var counters = Counters()
  /// The events that the published figures contain.
  var publishedEvents: UInt64 = 0
  /// When the figures are published again; nil when nothing has happened since.
  public internal(set) var metricsDue: Duration?
  /// The publishers of the roots, by their numbers: the feature's state and the hub's own.
  var publishers: [Publisher]
  /// The schema of each root.
  let schemas: [Schema]
  let schemaFingerprint: SchemaFingerprint
  var outgoing = Outgoing()
  var random: any RandomNumberGenerator
  var slots: [ConnectionSlot] = []
  var freeSlots: [Int32] = []
  /// What each user with connections takes.
  var accounts: [UInt32: UserAccount] = [:]
  /// The live connections by session.
  var liveSessions: [SessionID: LiveConnection] = [:]
  var detached = DetachedSessions()
  /// Whether the hub has said goodbye, or will when the log has stored everything.
  var isShuttingDown = false
  /// The reason of a goodbye that waits for the log.
  var goodbyeReason: String?
  /// How many scopes all connections have attached.
  var subscriptionCount = 0
  /// The connections to write to at the end of the turn.
  var pending = TurnList<LiveConnection>()
  /// Those of them that are being written to; between turns only its memory is of use.
  var writing = TurnList<LiveConnection>()
  /// The connections whose snapshot did not fit the last turn's budget.
  var unfinished: [LiveConnection] = []
  /// The connections that wait for the next publication to everyone.
  var coalescing: [LiveConnection] = []
  /// The connections with a backlog, in the order in which they take turns.
  var backlogged = BacklogQueue()
  /// The number of the turn.
  var turn: UInt64 = 0
  /// How many bytes are kept for all connections, and the most since memory was given back.
  var (heldBytes, heldPeak) = (0, 0)
  /// The size of the feature's state.
  var size: StateSize
  /// Whether large work should leave room for others: snapshots go out in smaller pieces.
  public var isContended = false
  /// When to call `endTurn` again so that coalesced changes are sent; nil when none wait.
  public internal(set) var publicationDue: Duration?
  /// When users may send actions again who have sent too many; nil when none waits.
  public internal(set) var allowanceDue: Duration?
  /// The time of the next publication to everyone, or of the last one.
  var nextFanOut = Duration.zero
  /// The time from the end of the last publication to the next one; nil once it has been added.
  var coalescingTime: Duration?

  /// Creates a hub of a feature.
  ///
  /// - Parameters:
  ///   - engine: The feature.
  ///   - limits: The limits of peers.
  ///   - policy: Who may use the hub, and for what.
  ///   - name: The name by which the hub introduces itself, of at most `Welcome.nameLimit` bytes.
  ///   - history: What the hub goes on from, if it has a log or takes over from another process.
  ///   - durability: When a turn is let out, if the hub has a log.
  ///   - random: The source of session ids; a simulation passes its seeded generator.
  public init<State, Action>(
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
    // The hub's own state begins anew with each process: its revisions must not be those of the one before.
    let ownRevision = history.map { $0.hubRevision.map { $0 + 1 } ?? random.next() % (1 << 32) << 20 } ?? 0
    (attendance, figures) = (Attendance(revision: ownRevision), MetricsSource(revision: ownRevision))
    (self.engine, self.limits, self.policy, self.name, self.random) = (engine, limits, policy, name, random)
    size = StateSize(limit: limits.stateBytes)
    schemas = [
      engine.schema, Schema(state: HubState.self, action: Never.self),
      Schema(state: HubMetrics.self, action: Never.self),
    ]
    schemaFingerprint = engine.schema.fingerprint
    turns = history.flatMap { $0.isLogged ? UnstoredTurns(engine, durability, position: $0.position) : nil }
    let visible: any StateSource = if let turns, turns.isHolding { turns.stored } else { engine }
    publishers = [
      Publisher(StateRoot.feature.index, of: visible, limits: limits),
      Publisher(StateRoot.hub.index, of: attendance, limits: limits),
      Publisher(StateRoot.metrics.index, of: figures, limits: limits),
    ]
    if let history { goOn(from: history) }
    size.begin(with: engine.currentVersion(), at: engine.revision)
  }

  /// The bytes that write commands refer to.
  public var output: FrameWriter { outgoing.writer }

  /// The ranges of the output that write commands name runs of.
  public var pieces: [Range<Int>] { outgoing.pieces.elements }

  /// How many commands there are; adding one while they are carried out is allowed.
  package var commandCount: Int { commandList.count }

  /// A command by its place in `commands`, without copying the list.
  package func command(_ index: Int) -> HubCommand { commandList[index] }

  /// The bytes of `output`, lent until the core changes.
  package var outputBytes: RawSpan {
    @_lifetime(borrow self) borrowing get { outgoing.writer.span }
  }

  /// A run of `pieces`, lent until the core changes.
  @_lifetime(borrow self)
  package func pieces(_ run: Range<Int>) -> Span<Range<Int>> { outgoing.pieces.span.extracting(run) }

  /// The number of actions that took effect since the hub began; the state's revision.
  public var revision: UInt64 { engine.revision }

  /// How many sessions without a connection could be resumed.
  public var detachedSessionCount: Int { detached.count }

  /// How many versions of the feature's state are kept: the published one, and those that clients may be brought up to
  /// date from.
  public var keptVersionCount: Int { publishers[StateRoot.feature.index].versionCount }

  /// Whether changes may be coalesced, so that `endTurn` should get the time as precisely as the shell can tell it.
  public var hasManySubscribers: Bool { subscriptionCount >= limits.coalescingThreshold }

  /// Whether frames wait for `workOnBacklog`.
  public var hasBacklog: Bool { !backlogged.isEmpty }

  /// Whether another turn should follow at once: frames wait, or a snapshot goes on and its reader can be written to.
  public var needsAnotherTurn: Bool {
    hasBacklog && !isLogBehind || unfinished.contains { !$0.isBusy } || size.isCounting
  }

  /// Forgets the commands and their bytes, which the shell has carried out.
  public mutating func clear() {
    commandList.removeAll()
    if !reports.isEmpty { reports.removeAll() }
    if !effectCommands.isEmpty { effectCommands.removeAll() }
    if !turnsToStore.isEmpty { turnsToStore.removeAll() }
    outgoing.removeAll()
    for index in publishers.indices { publishers[index].clear() }
  }

  mutating func report(_ report: HubReport) {
    counters.note(report)
    commandList.append(.report(reports.count))
    reports.append(report)
  }
}

extension StateRoot {
  /// The index of a root that this hub has, in `publishers` and `schemas`.
  var index: Int { Int(rawValue) }
}

// MARK: - Effects

extension HubCore {
  /// Applies an action that an effect sent; false if that effect was cancelled or has ended.
  package mutating func apply(_ action: AnyAction, from effect: EffectID) -> Bool {
    if size.isNear {
      let engine = engine
      guard applyNearLimit({ engine.apply(action, from: effect) }) else { return false }
    } else {
      guard engine.apply(action, from: effect) else { return false }
      noteApplied(1, byteCount: 0)
    }
    noteOwnAction(action)
    return true
  }

  /// Notes that an effect has ended.
  package mutating func finish(_ effect: EffectID) { engine.finish(effect) }

  /// Cancels the effects with an id that belong to a child or its descendants.
  package mutating func cancel(_ id: CancelID, within path: EffectPath) { engine.cancel(id, within: path) }

  /// Dismisses the innermost presented child on a path; false if there is none.
  package mutating func dismiss(_ path: EffectPath) -> Bool { engine.dismiss(path) }
}
