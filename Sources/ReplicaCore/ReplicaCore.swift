public import Wire

/// A client's side of a hub, without I/O: it mirrors parts of the state and sends actions so that each takes effect once.
///
/// Bytes, time and events go in as arguments; what the shell must do comes out as `commands` over `output`. Actions
/// are numbered within the session; after a cut they are sent again from the first one that the hub has not
/// processed. When the hub no longer knows the session, those that were sent are failed, never sent anew, and those
/// that were not are sent in the new session.
public struct ReplicaCore<State: Replicated, Action: WireValue>: ~Copyable {
  /// How the replica behaves.
  public let options: ReplicaOptions
  /// How the client stands with its hub.
  public private(set) var connection = ConnectionState.connecting(attempt: 0, failure: nil)
  /// What the hub calls itself.
  public private(set) var hubName = ""
  /// What the shell must do, in order, since the last `clear()`.
  public internal(set) var commands: [ReplicaCommand] = []
  /// The bytes that the commands speak of.
  public internal(set) var output = FrameWriter()
  /// When `expire` must be called; nil when there is nothing to wait for.
  public private(set) var deadline: Duration?
  /// The mirror of the whole state; nil when only parts are followed.
  public private(set) var whole: Mirror<State>?

  enum Link: Equatable {
    /// Nothing runs; the next attempt comes at `deadline`, if there is one.
    case down
    /// The shell tries to connect.
    case connecting
    /// A hello was sent.
    case greeting
    /// The hub is compiled from another source, and was asked what its state looks like.
    case comparing
    /// A session is open.
    case open
  }

  private(set) var link = Link.down
  private var isBusy = false
  private var decoder: FrameDecoder
  private var session: SessionID?
  private var welcome: Welcome?
  /// What a hub of another source needs; nil for one of the same.
  var translation: Translation?
  private let schema = Schema(state: State.self, action: Action.self)
  private var outbox = ActionOutbox()
  private var payloadLimit = 1 << 20
  private var attempt = 0
  private var random: any RandomNumberGenerator
  /// In the order in which they were asked for.
  var mirrors: [AnyMirror] = []
  /// Those that are attached on this connection, by their scopes' numbers.
  var attached: [UInt16: AnyMirror] = [:]
  /// How many scopes may be detached because of hashes before the hub has said so of any.
  static var retiredLimit: Int { 1024 }
  /// Numbers of scopes that were detached, until the hub has said so.
  var retired: Set<UInt16> = []
  var nextScope: UInt16 = 0
  var lastMirror = 0

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
    decoder = FrameDecoder(payloadLimit: SnapshotPiece.byteLimit + (1 << 24))
    if options.followsWholeState { whole = follow(StatePath<State, State>()) }
  }

  /// The hub's whole state as far as it is known; nil before the first snapshot, and when it is not followed.
  public var state: State? { whole?.part }

  /// The revision of `state`.
  public var revision: UInt64 { whole?.revision ?? 0 }

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
    beginConnection()
    let name = options.name.prefix(utf8Count: Hello.nameLimit)
    let hello = Hello(
      session: session, acknowledged: outbox.acknowledged, name: name, schema: schema.fingerprint)
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
    case .greeting, .comparing, .open: giveUp("the hub has not answered for \(options.patience)", at: now)
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
      let frame = outbox.writeNext(limit: payloadLimit, mapping: translation?.action, to: &output)
      for (ticket, error) in outbox.takeRefused() { commands.append(.failed(ticket, error)) }
      if let frame { commands.append(.write(frame)) }
    }
    if deadline == nil, outbox.sentCount > 0 { deadline = now + options.patience }
  }

  /// Bytes came in.
  public mutating func received(_ bytes: RawSpan, at now: Duration) {
    guard isConnected else { return }
    var decoder = decoder
    self.decoder = FrameDecoder(payloadLimit: decoder.payloadLimit)
    do throws(WireError) {
      try decoder.feed(bytes) { header, payload throws(WireError) in try handle(header, payload, at: now) }
    } catch {
      giveUp("the hub sent something malformed: \(error)", at: now)
    }
    guard isConnected else { return }
    self.decoder = decoder
    // Any sign of life renews patience; with nothing unanswered there is nothing to be patient for.
    deadline = link != .open || outbox.sentCount > 0 ? now + options.patience : nil
  }

  private var isConnected: Bool { link == .greeting || link == .comparing || link == .open }
}

// MARK: - Messages

extension ReplicaCore {
  private mutating func handle(_ header: FrameHeader, _ payload: RawSpan, at now: Duration) throws(WireError) {
    guard isConnected else { return }
    switch (link, FrameKind(rawValue: header.kind)) {
    case (.greeting, .welcome):
      greet(try Welcome(decoding: payload))
    case (.comparing, .schema):
      compare(try Schema(decoding: payload))
    case (.open, .snapshot):
      try receiveSnapshot(header, payload, at: now)
    case (.open, .delta):
      try receiveDelta(header, payload, at: now)
    case (.open, .bookmark):
      receiveBookmark(header, at: now)
    case (.open, .absent):
      receiveAbsence(header)
    case (.open, .hash):
      compareHash(header, try StateHash(decoding: payload), at: now)
    case (.open, .detached):
      retired.remove(header.scope)
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
      if [.unsupportedVersion, .unknownScope, .tooManyScopes].contains(error.code) {
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

  private mutating func greet(_ welcome: Welcome) {
    self.welcome = welcome
    hubName = welcome.hub
    if welcome.schema == nil || welcome.schema == schema.fingerprint { return open() }
    link = .comparing
    commands.append(.write(output.frame(FrameHeader(kind: .describe)) { _ in }))
  }

  private mutating func compare(_ theirs: Schema) {
    do throws(SchemaMismatch) {
      switch schema.compatibility(with: theirs) {
      case .same: break
      case .compatible: translation = try Translation(from: theirs, to: schema, byName: false)
      case .compatibleByName: translation = try Translation(from: theirs, to: schema, byName: true)
      case .incompatible(let difference): return refuse(difference)
      }
      open()
    } catch {
      refuse(error.description)
    }
  }

  private mutating func refuse(_ difference: String) {
    let reason =
      "this hub runs another version of the feature: \(difference); use a client and a hub of the same release"
    stop(.refused(reason: reason), reason: reason)
  }

  private mutating func open() {
    guard let welcome else { return }
    link = .open
    attempt = 0
    payloadLimit = Int(clamping: welcome.payloadLimit)
    if welcome.isResumed {
      outbox.resume(processed: welcome.processed)
    } else {
      for ticket in outbox.beginSession() { commands.append(.failed(ticket, .outcomeUnknown)) }
    }
    session = welcome.session
    attachAll(isResumed: welcome.isResumed)
    becomeLiveIfWhole()
  }

  /// A client that has something of all that it follows is live.
  mutating func becomeLiveIfWhole() {
    if !mirrors.contains(where: \.isAwaited) { become(.live) }
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

  mutating func giveUp(_ reason: String, at now: Duration) {
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

extension String {
  /// As many characters from the beginning as have at most so many bytes.
  fileprivate func prefix(utf8Count: Int) -> String {
    var prefix = self
    while prefix.utf8.count > utf8Count { prefix.removeLast() }
    return prefix
  }
}
