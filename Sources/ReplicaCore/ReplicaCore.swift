public import Wire

/// A client's side of a hub, without I/O: it mirrors parts of the state and sends actions so that each takes effect once.
///
/// Bytes, time and events go in as arguments; what the shell must do comes out as `commands` over `output`. The replica knows
/// no types: actions come in encoded, and what the hub sends goes to mirrors, which are typed (`TypedMirror`) or read by
/// the schema (`ValueMirror`).
///
/// Actions are numbered within the session; after a cut they are sent again from the first one that the hub has not
/// processed. When the hub no longer knows the session, those that were sent fail and are never sent again, and those
/// that were not are sent in the new session.
public struct ReplicaCore: ~Copyable {
  /// How the replica behaves.
  public let options: ReplicaOptions
  /// The state of the connection.
  public internal(set) var connection = ConnectionState.connecting(attempt: 0, failure: nil)
  /// The hub's name for itself; empty before the first welcome.
  public internal(set) var hubName = ""
  /// How often a hub came back that had lost revisions which this client had seen: it went on from an older state, or anew.
  public internal(set) var lossCount = 0
  /// The schema of the feature: the one that the client was compiled with, or else that of the first hub it met.
  public internal(set) var schema: Schema?
  /// What the shell must do, in order, since the last `clear()`.
  public internal(set) var commands: [ReplicaCommand] = []
  /// The bytes that the commands speak of.
  public internal(set) var output = FrameWriter()

  /// The last answer to a ping on this connection, and the hub's revision at that moment; nil before the first.
  public internal(set) var lastPong: (number: UInt64, revision: UInt64)?

  var link = ReplicaLink.idle
  var fingerprint: SchemaFingerprint?
  /// Whether the schema is a hub's: values are then always brought into its form, which the mirrors read.
  let takesSchemaFromHub: Bool
  /// The last session, to be resumed.
  var session: SessionID?
  /// The history that the last welcome named.
  var history: UInt64?
  var pending = PendingActions()
  /// The largest payload that the last hub accepted.
  var payloadLimit = 1 << 20
  /// The number of attempts to connect since the last session was open.
  var attempt = 0
  var random: any RandomNumberGenerator
  /// In the order in which they were asked for.
  var subscriptions: [Subscription] = []
  /// Those whose change was reported since the last `clear()`.
  var reported: [Subscription] = []

  /// The schema of the hub's own state.
  static let hubSchema = Schema(state: HubState.self, action: Never.self)

  /// Creates a replica that has not started.
  ///
  /// - Parameters:
  ///   - schema: The schema of the feature that the client was compiled with; nil for a tool that takes the hub's.
  ///   - options: How the replica behaves.
  ///   - random: The source of the jitter of reconnecting; a simulation passes its seeded generator.
  public init(
    schema: Schema?, options: ReplicaOptions = ReplicaOptions(),
    random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  ) {
    (self.schema, self.options, self.random) = (schema, options, random)
    fingerprint = schema?.fingerprint
    takesSchemaFromHub = schema == nil
  }

  /// The number of actions that the hub has not acknowledged.
  public var pendingActionCount: Int { pending.count }

  /// How many bytes have come of values that are not there as a whole yet.
  public var loadedByteCount: Int { subscriptions.reduce(0) { $0 + ($1.attachment?.pieces.count ?? 0) } }

  /// The time at which `expire` must be called; nil when there is nothing to wait for.
  public var deadline: Duration? {
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

  /// Forgets the commands and their bytes, which the shell has carried out.
  public mutating func clear() {
    commands.removeAll(keepingCapacity: true)
    output.removeAll()
    for subscription in reported { subscription.isReported = false }
    reported.removeAll(keepingCapacity: true)
  }
}
