public import Senders
public import Wire

/// The client side of a hub without I/O: it mirrors parts of the state and sends actions so that each takes effect
/// once.
///
/// Bytes, times and events are arguments; the shell's work is returned as `commands` that refer to `output`. The
/// replica knows no types: actions are passed encoded, and received values go to mirrors, which are typed
/// (`TypedMirror`) or use the schema (`ValueMirror`).
///
/// Actions are numbered within the session. After a reconnection they are sent again from the first one that the hub
/// has not processed. If the hub no longer knows the session, the actions that were sent fail and are never sent again,
/// and the unsent ones are sent in the new session.
public struct ReplicaCore: ~Copyable {
  /// The options of the replica.
  public let options: ReplicaOptions
  /// The state of the connection.
  public internal(set) var connection = ConnectionState.connecting(attempt: 0, failure: nil)
  /// The hub's name; empty before the first welcome.
  public internal(set) var hubName = ""
  /// The reason with which the hub has ended the last connection; nil if that was lost without one, and while a session
  /// is open.
  public internal(set) var goodbye: String?
  /// While connected to a hub of a cluster that cannot reach the cluster's log: the time on the client's clock since
  /// which its state may be stale, and actions wait. Otherwise nil.
  public var hubStaleSince: Duration? { connection == .live ? lastStaleSince : nil }
  /// The number of times that a restarted hub had lost revisions which this client had seen.
  public internal(set) var lossCount = 0
  /// The schema of the feature: the compiled one, or for tools that of the first hub.
  public internal(set) var schema: Schema?
  /// The comments in the hub's source, if the options request them and the hub has sent them with its schema.
  public internal(set) var documentation = SchemaDocumentation()
  /// The commands for the shell, in order, since the last `clear()`.
  public internal(set) var commands: [ReplicaCommand] = []
  /// The bytes that the commands refer to.
  public internal(set) var output = FrameWriter()

  /// The last answer to a ping on this connection, with the hub's revision at that time; nil before the first one.
  public internal(set) var lastPong: (number: UInt64, revision: UInt64)?

  /// Called during `received` when all mirrors contain exactly those of this client's actions whose outcome has arrived
  /// (its command may follow), and none that is still pending. A prediction starts from the values at this time.
  ///
  /// It must not access the replica.
  public var onSettled: (() -> Void)?

  /// Called during `received` when the hub has let go of the effects of this client's earlier actions: the effects up to
  /// `releasedTicket` have ended, or only others hold them.
  ///
  /// It must not access the replica.
  public var onRelease: ((ActionTicket) -> Void)?
  /// The last action whose effects the hub has let go of; those of earlier ones too. Nil if there is none.
  package internal(set) var releasedTicket: ActionTicket?

  /// The hub's revision when it last acknowledged actions.
  public internal(set) var acknowledgedRevision: UInt64 = 0

  /// The reason why the hub does not show this user its own state, the list of clients and the metrics; nil if it does,
  /// or was not asked on this connection. The values of their mirrors are then absent.
  public internal(set) var ownStateRefusal: String?

  /// What this user may attach and send, in the paths and actions of the hub's schema, as the last welcome told it; nil
  /// if it may do everything, and of a hub that does not say.
  public internal(set) var rights: ClientRights?

  /// The code of the error for which the hub has refused this client; nil unless the connection is `refused` for one.
  public internal(set) var refusalCode: PeerErrorCode?

  /// True if the connection is `refused` because the hub's schema does not fit the client's.
  package internal(set) var isHubOfOtherFeature = false

  /// The number of elements that all windows of this client may have together; 0 for a hub without windows, and before
  /// the first welcome.
  public internal(set) var windowElements: UInt64 = 0
  /// The calendar, the time zone and the locale that the reducers of the last hub read.
  package internal(set) var region = RegionalSettings.standard
  /// The schema of the hub's views, as far as it is known.
  var views = HubViews()
  /// True if an idle client pings its hub, as its options say.
  var isProbing = true

  /// This client as the hub's reducers see it; nil before the first welcome, and for a hub that does not say.
  public internal(set) var client: HubClient?

  /// The hub's state directory, with its journal; nil if it has none, or this user may not read it.
  package internal(set) var hubStateDirectory: String?

  var link = ReplicaLink.idle
  var fingerprint: SchemaFingerprint?
  /// True if the schema is a hub's. Values of other hubs are then converted to it for the mirrors.
  let takesSchemaFromHub: Bool
  /// The last session, to be resumed.
  var session: SessionID?
  /// The history from the last welcome.
  var history: UInt64?
  var seen = SeenRevision()
  var pending = PendingActions()
  /// The time since which the state of the hub may be stale, as of its last word.
  var lastStaleSince: Duration?
  /// True if the hub takes *cancel*.
  var hubCancelsEffects = false
  /// The actions whose effects the hub is to cancel.
  var cancellations = Cancellations()
  /// True if the next acknowledgement has the outcomes of a resumed session.
  var awaitsResumedOutcomes = false
  /// The outcomes that are reported when the parts contain them.
  var resumedOutcomes: ResumedOutcomes?
  /// The largest payload that the last hub accepted.
  var payloadLimit = 1 << 20
  /// The number of attempts to connect since the client was last live.
  var attempt = 0
  var random: any RandomNumberGenerator
  /// The subscriptions, in the order in which they were requested.
  var subscriptions: [Subscription] = []
  /// The subscriptions whose change was reported since the last `clear()`.
  var reported: [Subscription] = []

  /// The schema of the hub's own state.
  private static let hubSchema = Schema(state: HubState.self, action: Never.self)
  private static let metricsSchema = Schema(state: HubMetrics.self, action: Never.self)

  /// Returns the schema of a state that every hub has; nil for the feature's state.
  package static func schema(ofHubsOwn root: StateRoot) -> Schema? {
    switch root {
    case .hub: hubSchema
    case .metrics: metricsSchema
    default: nil
    }
  }

  /// Returns the comments of a state that every hub has; nil for the feature's state.
  package static func documentation(ofHubsOwn root: StateRoot) -> SchemaDocumentation? {
    switch root {
    case .hub: SchemaDocumentation(state: HubState.self, action: Never.self)
    case .metrics: SchemaDocumentation(state: HubMetrics.self, action: Never.self)
    default: nil
    }
  }

  /// Creates a replica that is not started yet.
  ///
  /// - Parameters:
  ///   - schema: The schema of the compiled feature; nil for a tool that uses the hub's.
  ///   - options: The options of the replica.
  ///   - random: The source of the random delays before reconnecting; a simulation passes its seeded generator.
  public init(
    schema: Schema?, options: ReplicaOptions = ReplicaOptions(),
    random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  ) {
    (self.schema, self.options, self.random) = (schema, options, random)
    fingerprint = schema?.fingerprint
    takesSchemaFromHub = schema == nil
  }

  /// The number of unacknowledged actions.
  public var pendingActionCount: Int { pending.count }

  /// The number of cancellations that the hub may not have read, or whose actions it may not have stored.
  package var cancellationCount: Int { cancellations.count }

  /// The random numbers that the hub's reducer draws for a pending action; nil before the first session, and for an
  /// action that is not pending.
  package func randomness(of ticket: ActionTicket) -> ActionRandomness? {
    guard let session, let number = pending.number(of: ticket) else { return nil }
    return ActionRandomness(key: session.key, action: number)
  }

  /// The number of bytes in the buffer of these actions.
  package var pendingByteCount: Int { pending.byteCount }

  /// The number of bytes received of values that are not complete yet.
  public var loadedByteCount: Int { subscriptions.reduce(0) { $0 + ($1.attachment?.pieces.count ?? 0) } }

  /// The time at which `expire` must be called; nil if there is none.
  public var deadline: Duration? {
    guard let retry = pending.outbox?.retryAt else { return linkDeadline }
    return min(retry, linkDeadline ?? retry)
  }

  /// The time at which the connection needs something; nil if there is none.
  var linkDeadline: Duration? {
    switch link {
    case .idle, .connecting, .stopped: return nil
    case .down(let retryAt): return retryAt
    case .greeting(let stream), .comparing(let stream): return stream.lastHeard + options.timeout
    case .open(let open):
      switch open.liveness {
      case .quiet: return nil
      case .probe(let time), .answer(let time): return time
      }
    }
  }

  /// The phase of the conversation.
  package var phase: ReplicaPhase { link.phase }

  /// Removes the commands, which the shell has executed, and their bytes.
  public mutating func clear() {
    commands.removeAll(keepingCapacity: true)
    output.removeAll()
    for subscription in reported { subscription.isReported = false }
    reported.removeAll(keepingCapacity: true)
  }
}
