public import Wire

/// A mirror of a hub's state, without I/O: it follows the state and sends actions so that each takes effect once.
///
/// Bytes, time and events go in as arguments; what the shell must do comes out as `commands` over `output`. Actions
/// are numbered within the session; after a cut they are sent again from the first one that the hub has not
/// processed. When the hub no longer knows the session, those that were sent are failed, never sent anew, and those
/// that were not are sent in the new session.
public struct ReplicaCore<State: Replicated, Action: WireValue>: ~Copyable {
  /// How the replica behaves.
  public let options: ReplicaOptions
  /// The hub's state as far as it is known; nil before the first snapshot.
  public private(set) var state: State?
  /// The revision of `state`.
  public private(set) var revision: UInt64 = 0
  /// How the client stands with its hub.
  public private(set) var connection = ConnectionState.connecting(attempt: 0, failure: nil)
  /// What the hub calls itself.
  public private(set) var hubName = ""
  /// What the shell must do, in order, since the last `clear()`.
  public private(set) var commands: [ReplicaCommand] = []
  /// The bytes that the commands speak of.
  public private(set) var output = FrameWriter()
  /// When `expire` must be called; nil when there is nothing to wait for.
  public private(set) var deadline: Duration?

  private enum Link: Equatable {
    /// Nothing runs; the next attempt comes at `deadline`, if there is one.
    case down
    /// The shell tries to connect.
    case connecting
    /// A hello was sent.
    case greeting
    /// A session is open.
    case open
  }

  private var link = Link.down
  private var isBusy = false
  private var decoder: FrameDecoder
  private var snapshot: [UInt8] = []
  private var session: SessionID?
  /// Whether `state` is what the hub had at `revision`, so that a delta from there can be asked for.
  private var isInStep = false
  private var outbox = ActionOutbox()
  private var payloadLimit = 1 << 20
  private var attempt = 0
  private var random: any RandomNumberGenerator

  /// Creates a replica that has not begun.
  ///
  /// - Parameters:
  ///   - options: How it behaves.
  ///   - random: Where the jitter of reconnecting comes from; a simulation passes its seeded generator.
  public init(
    options: ReplicaOptions = ReplicaOptions(), random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  ) {
    self.options = options
    self.random = random
    decoder = FrameDecoder(payloadLimit: SnapshotChunk.byteLimit + (1 << 24))
  }

  /// How many actions the hub has not answered.
  public var unansweredCount: Int { outbox.count }

  /// Forgets the commands and their bytes, which the shell has carried out.
  public mutating func clear() {
    commands.removeAll(keepingCapacity: true)
    output.removeAll()
  }
}

// MARK: - Events

extension ReplicaCore {
  /// Begins: connects at once.
  public mutating func start() {
    guard link == .down, attempt == 0 else { return }
    tryToConnect()
  }

  /// The connection that `connect` asked for is there.
  public mutating func connected(at now: Duration) {
    guard link == .connecting else { return }
    link = .greeting
    isBusy = false
    decoder = FrameDecoder(payloadLimit: decoder.payloadLimit)
    snapshot = []
    let hello = Hello(session: session, acknowledged: outbox.acknowledged, name: options.name)
    commands.append(.write(output.frame(hello)))
    deadline = now + options.patience
  }

  /// The connection, or the attempt to make one, has ended.
  public mutating func disconnected(reason: String, at now: Duration) {
    guard link != .down else { return }
    link = .down
    switch connection {
    case .live:
      become(.stale(since: now, attempt: attempt, reason: reason))
    case .stale(let since, _, _):
      become(.stale(since: since, attempt: attempt, reason: reason))
    case .connecting:
      become(.connecting(attempt: attempt, failure: reason))
    case .refused, .closed:
      return
    }
    deadline = now + nextDelay()
  }

  /// The socket took the last of what it was given.
  public mutating func drained() {
    isBusy = false
  }

  /// The shell could not write everything at once; it will call `drained`.
  public mutating func isBusy(_ busy: Bool) {
    isBusy = busy
  }

  /// The deadline has passed: time for the next attempt, or the end of patience.
  public mutating func expire(at now: Duration) {
    guard let due = deadline, due <= now else { return }
    deadline = nil
    switch link {
    case .down: tryToConnect()
    case .connecting: break
    case .greeting, .open: giveUp("the hub has not answered for \(options.patience)", at: now)
    }
  }

  /// Takes an action to be sent at the end of the turn, or as soon as there is a hub.
  ///
  /// - Throws: `tooManyUnanswered`, `tooLarge` or `notConnected`; the action is then not kept.
  public mutating func send(_ action: Action) throws(ActionError) -> ActionTicket {
    switch connection {
    case .refused(let reason): throw .notConnected(reason: reason)
    case .closed: throw .notConnected(reason: "the client is closed")
    default: break
    }
    guard outbox.count < options.unansweredActions else { throw .tooManyUnanswered(limit: options.unansweredActions) }
    let bytes = action.encoded()
    guard bytes.count + ActionOutbox.headByteCount <= payloadLimit else {
      throw .tooLarge(bytes: bytes.count, limit: payloadLimit - ActionOutbox.headByteCount)
    }
    return outbox.append(bytes)
  }

  /// Ends the session for good.
  public mutating func close() {
    guard connection != .closed else { return }
    if link == .open {
      commands.append(.write(output.frame(FrameHeader(kind: .leave)) { _ in }))
    }
    stop(.closed, reason: "the client is closed")
  }

  /// Ends a turn: writes the actions that it brought, in as few frames as the hub's limit allows.
  public mutating func endTurn(at now: Duration) {
    guard link == .open, !isBusy, outbox.unsentCount > 0 else { return }
    while outbox.unsentCount > 0 {
      commands.append(.write(outbox.writeNext(limit: payloadLimit, to: &output)))
    }
    if deadline == nil { deadline = now + options.patience }
  }

  /// Bytes came in.
  public mutating func received(_ bytes: RawSpan, at now: Duration) {
    guard link == .greeting || link == .open else { return }
    var decoder = decoder
    self.decoder = FrameDecoder(payloadLimit: decoder.payloadLimit)
    do throws(WireError) {
      try decoder.feed(bytes) { header, payload throws(WireError) in try handle(header, payload, at: now) }
    } catch {
      giveUp("the hub sent something malformed: \(error)", at: now)
    }
    guard link == .greeting || link == .open else { return }
    self.decoder = decoder
    // Any sign of life renews patience; with nothing unanswered there is nothing to be patient for.
    deadline = link == .greeting || outbox.sentCount > 0 ? now + options.patience : nil
  }
}

// MARK: - Messages

extension ReplicaCore {
  private mutating func handle(_ header: FrameHeader, _ payload: RawSpan, at now: Duration) throws(WireError) {
    guard link == .greeting || link == .open else { return }
    switch (link, FrameKind(rawValue: header.kind)) {
    case (.greeting, .welcome):
      open(try Welcome(decoding: payload))
    case (.open, .snapshot):
      try receiveSnapshot(header, payload, at: now)
    case (.open, .delta):
      try receiveDelta(header, payload, at: now)
    case (.open, .applied):
      let sequence = try UInt64(decoding: payload)
      if let ticket = outbox.acknowledge(through: sequence) { commands.append(.applied(through: ticket)) }
    case (.open, .rejected):
      let rejected = try Rejected(decoding: payload)
      if let ticket = outbox.ticket(of: rejected.sequence) {
        commands.append(.failed(ticket, .rejected(code: rejected.code.rawValue, reason: rejected.reason)))
      }
    case (_, .error):
      let error = try PeerError(decoding: payload)
      if error.code == .unsupportedVersion {
        stop(.refused(reason: error.reason), reason: error.reason)
      } else {
        giveUp("the hub closed the connection: \(error.reason)", at: now)
      }
    case (_, .goodbye):
      giveUp(try Goodbye(decoding: payload).reason, at: now)
    default:
      // Kinds of a later version carry nothing that this one needs.
      break
    }
  }

  private mutating func open(_ welcome: Welcome) {
    link = .open
    attempt = 0
    hubName = welcome.hub
    payloadLimit = Int(clamping: min(welcome.payloadLimit, 1 << 30))
    if welcome.isResumed {
      outbox.resume(processed: welcome.processed)
    } else {
      for ticket in outbox.beginSession() { commands.append(.failed(ticket, .outcomeUnknown)) }
    }
    session = welcome.session
    let known = welcome.isResumed && isInStep ? revision : nil
    commands.append(.write(output.frame(Attach(knownRevision: known))))
    // A client that holds the current state is sent nothing more: it is live from here on.
    if known == nil { return }
    become(.live)
  }

  private mutating func receiveSnapshot(
    _ header: FrameHeader, _ payload: RawSpan, at now: Duration
  ) throws(WireError) {
    snapshot.append(contentsOf: [UInt8](try SnapshotChunk.read(CBORDecoder(payload))))
    guard snapshot.count <= options.stateBytes else {
      return giveUp("the hub's state exceeds \(options.stateBytes) bytes", at: now)
    }
    guard header.flags & SnapshotChunk.finalFlag != 0 else { return }
    state = try State(decoding: snapshot.span.bytes)
    revision = header.revision
    snapshot = []
    isInStep = true
    commands.append(.stateChanged)
    become(.live)
  }

  private mutating func receiveDelta(
    _ header: FrameHeader, _ payload: RawSpan, at now: Duration
  ) throws(WireError) {
    var decoder = CBORDecoder(payload)
    try decoder.tuple(2)
    let base = try decoder.unsigned()
    guard let state, base == revision, header.revision > base else {
      // Never applied to a state it was not made for: a snapshot will put things right.
      isInStep = false
      return giveUp("the hub sent a delta from revision \(base) to a client at \(revision)", at: now)
    }
    do throws(WireError) {
      self.state = try state.applying(delta: &decoder)
      try decoder.finish()
    } catch {
      isInStep = false
      throw error
    }
    revision = header.revision
    commands.append(.stateChanged)
  }

  // MARK: Helpers

  private mutating func become(_ state: ConnectionState) {
    guard connection != state else { return }
    connection = state
    commands.append(.connectionChanged)
  }

  private mutating func tryToConnect() {
    link = .connecting
    attempt += 1
    deadline = nil
    commands.append(.connect)
    switch connection {
    case .connecting(_, let failure): become(.connecting(attempt: attempt, failure: failure))
    case .stale(let since, _, let reason): become(.stale(since: since, attempt: attempt, reason: reason))
    default: break
    }
  }

  private mutating func giveUp(_ reason: String, at now: Duration) {
    commands.append(.disconnect)
    disconnected(reason: reason, at: now)
  }

  private mutating func stop(_ state: ConnectionState, reason: String) {
    if link != .down { commands.append(.disconnect) }
    link = .down
    deadline = nil
    become(state)
    for ticket in outbox.removeAll() { commands.append(.failed(ticket, .notConnected(reason: reason))) }
  }

  /// Doubles with each attempt up to the longest, less up to half by chance, so that the clients of a hub that
  /// restarts do not all come at once.
  private mutating func nextDelay() -> Duration {
    let doublings = min(max(attempt - 1, 0), 16)
    let delay = min(options.shortestDelay * (1 << doublings), options.longestDelay)
    return delay / 2 + delay / 2 * Double.random(in: 0...1, using: &random)
  }
}
