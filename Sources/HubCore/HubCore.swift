public import ComposableArchitecture
public import Wire

/// The authority, without I/O: it owns the state, its reducer, and every client's session.
///
/// Bytes, time and events go in as arguments; what the shell must do comes out as `commands` over `output`. It has
/// no socket, clock, thread or file, so the same inputs give the same bytes. One loop turn is:
///
/// 1. `received`, `connected`, `ended`, `drained`, `send(_:from:)`, `expire`, in any number and order: actions are
///    decoded and reduced in place as they come;
/// 2. `endTurn()`: one delta, one acknowledgement and one write for each session that has any coming, however
///    many actions the turn held;
/// 3. the shell carries out `commands`, then those of `takeEffectCommands()`, and calls `clear()`.
///
/// A client that reads slowly is sent nothing while its socket is full; then it gets one delta from the version
/// it has to the current one. So what the hub owes a client is bounded, whatever the client does.
public struct HubCore<State: Replicated, Action: WireValue>: ~Copyable {
  /// What the hub calls itself to clients, such as `storehubd 0.1.0`.
  public let name: String
  /// What peers are granted.
  public let limits: HubLimits
  /// What the shell must do, in order, since the last `clear()`.
  public internal(set) var commands: [HubCommand] = []
  var outgoing = Outgoing()
  /// The earliest time at which `expire` has something to do, or earlier; nil when there is nothing to wait for.
  public internal(set) var deadline: Duration?
  /// How many connections are open.
  public internal(set) var connectionCount = 0

  let applyActions: ActionBatch<State, Action>.Apply
  var random: any RandomNumberGenerator
  var connections: [Connection] = []
  var freeSlots: [Int] = []
  var detached = DetachedSessions()
  /// Slots of the connections that something is owed to.
  var owed: [Int] = []
  /// Slots of the connections that are sent a snapshot which one turn could not finish.
  var unfinished: [Int] = []
  /// Slots of the connections that wait for the next time that changes are sent to everyone.
  var gathering: [Int] = []
  /// When that is, or was.
  var nextFanOut = Duration.zero
  /// How long it is from the end of the last time on; nil once that has been added.
  var gatheringTime: Duration?
  /// What the feature's state and actions look like, and the hub's own state.
  let schema: Schema
  let schemaFingerprint: SchemaFingerprint
  let hubSchema = Schema(state: HubState.self, action: UInt64.self)
  /// What the hub tells of itself, and how often that has changed.
  var hubState = HubState()
  var hubRevision: UInt64 = 0
  var lastAttendee: UInt64 = 0
  var hubPublisher: Publisher<HubState>
  // What holds states comes last: what stands before it has the same place whatever the feature, and is found without
  // asking the runtime.
  var reducing: ReducerCore<State, Action>
  var publisher: Publisher<State>

  /// Creates a hub at revision 0.
  ///
  /// - Parameters:
  ///   - initialState: The state at revision 0.
  ///   - reducer: What every action goes through; it is made and compiled once, here.
  ///   - limits: What peers are granted.
  ///   - name: What the hub calls itself to clients.
  ///   - random: Where session names come from; a simulation passes its seeded generator.
  ///   - prepareDependencies: Overrides dependencies for the reducer and its effects.
  @inlinable
  public init(
    initialState: State, reducer: @autoclosure () -> some Reducer<State, Action>, limits: HubLimits = HubLimits(),
    name: String = "", random: any RandomNumberGenerator = SystemRandomNumberGenerator(),
    withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in }
  ) {
    // What runs for each action is put together here, where the compiler knows the feature's types.
    let reducer = withDependencies(prepareDependencies) { CompiledReducer(reducer()) }
    self.init(
      reducing: ReducerCore(initialState: initialState, reducer: reducer),
      applyActions: ActionBatch<State, Action>.specialised(), limits: limits, name: name, random: random)
  }

  @usableFromInline
  init(
    reducing: consuming ReducerCore<State, Action>, applyActions: @escaping ActionBatch<State, Action>.Apply,
    limits: HubLimits, name: String, random: any RandomNumberGenerator
  ) {
    self.reducing = reducing
    self.applyActions = applyActions
    self.limits = limits
    precondition(name.utf8.count <= Welcome.nameLimit, "a hub's name has at most \(Welcome.nameLimit) bytes")
    self.name = name
    self.random = random
    schema = Schema(state: State.self, action: Action.self)
    schemaFingerprint = schema.fingerprint
    hubPublisher = Publisher(root: .hub, limits: limits)
    publisher = Publisher(root: .feature, limits: limits)
  }

  /// The bytes that the commands speak of.
  public var output: FrameWriter { outgoing.writer }

  /// The ranges of the output that write commands name runs of.
  public var pieces: [Range<Int>] { outgoing.pieces }

  /// The authoritative state.
  public var state: State { reducing.state }

  /// How many actions took effect since the hub began; the state's revision.
  public var revision: UInt64 { reducing.actionCount }

  /// How many sessions without a connection could still be resumed.
  public var detachedSessionCount: Int { detached.count }

  /// How many versions of the state are kept: the published one, and those that clients may be brought up to date from.
  public var keptVersionCount: Int { publisher.versionCount }

  /// Whether another turn should follow at once: a snapshot goes on, and its reader can be written to.
  public var hasMoreToWrite: Bool { unfinished.contains { !connections[$0].isBusy } }

  /// Forgets the commands and their bytes, which the shell has carried out.
  public mutating func clear() {
    commands.removeAll(keepingCapacity: true)
    outgoing.removeAll()
    hubPublisher.clear()
    publisher.clear()
  }
}

// MARK: - Actions of the hub itself

extension HubCore {
  /// Applies an action of the hub's own.
  public mutating func send(_ action: Action) {
    reducing.send(action)
  }

  /// Changes the reducing as an effect asks: takes its action, notes that it is over, cancels what it names.
  package mutating func change<Result>(
    _ body: (inout ReducerCore<State, Action>) -> Result
  ) -> Result {
    body(&reducing)
  }

  /// Whether there are effects to start or to cancel.
  package var hasEffectCommands: Bool { reducing.hasCommands }

  /// The effects to start and to cancel since the last call, in order.
  package mutating func takeEffectCommands() -> [EffectCommand<Action>] { reducing.takeCommands() }
}

// MARK: - Connections

extension HubCore {
  /// A peer connected; `now` is a monotonic time.
  public mutating func connected(_ peer: Peer, at now: Duration) -> ConnectionID {
    let slot = freeSlots.popLast() ?? connections.count
    if slot == connections.count {
      connections.append(Connection(decoder: FrameDecoder(payloadLimit: limits.payloadBytes)))
    }
    connections[slot].phase = .greeting
    connections[slot].peer = peer
    connectionCount += 1
    if connectionCount > limits.connections {
      let reason = "this hub serves \(limits.connections) connections at once and all are taken; try again later"
      fail(slot, PeerError(.tooManyConnections, reason), at: now)
    } else {
      setDeadline(now + limits.greeting, for: slot)
    }
    return id(of: slot)
  }

  /// The socket took the last of what it was given.
  public mutating func drained(_ connection: ConnectionID) {
    guard let slot = openSlot(connection) else { return }
    connections[slot].isBusy = false
    guard connections[slot].phase == .live else { return }
    owe(slot)
  }

  /// The shell could not write everything at once; it will call `drained`.
  public mutating func isBusy(_ connection: ConnectionID) {
    guard let slot = openSlot(connection) else { return }
    connections[slot].isBusy = true
  }

  /// The connection is gone, for whatever reason. Its session may be resumed on another one.
  public mutating func ended(_ connection: ConnectionID) {
    guard let slot = openSlot(connection) else { return }
    stopFollowing(slot, remembering: true)
    removeAttendee(slot)
    let ended = connections[slot]
    // Even one that has processed nothing: the client may have sent actions that never came, and may send them again.
    if ended.phase != .greeting, ended.session.id != Session().id,
      let forgotten = detached.insert(ended.session, limit: limits.detachedSessions)
    {
      forget(forgotten.held)
    }
    if ended.phase == .live || ended.phase == .greeting {
      commands.append(.report(.detached(connection, ended.phase == .live ? ended.session.id : nil)))
    }
    if ended.isOwed { owed.removeAll { $0 == slot } }
    unfinished.removeAll { $0 == slot }
    if ended.isGathering { gathering.removeAll { $0 == slot } }
    connections[slot] = Connection(decoder: FrameDecoder(payloadLimit: limits.payloadBytes))
    connections[slot].generation = ended.generation &+ 1
    freeSlots.append(slot)
    connectionCount -= 1
  }

  /// Closes every connection whose patience has ended.
  /// - Complexity: O(connections); called only when `deadline` has passed.
  public mutating func expire(at now: Duration) {
    deadline = nil
    for slot in connections.indices {
      guard let due = connections[slot].deadline else { continue }
      if due > now {
        setDeadline(due, for: slot)
        continue
      }
      connections[slot].deadline = nil
      switch connections[slot].phase {
      case .free:
        break
      case .greeting:
        fail(slot, PeerError(.timedOut, "no hello came within \(limits.greeting)"), at: now)
      case .live:
        fail(slot, PeerError(.timedOut, "the rest of a frame did not come within \(limits.frame)"), at: now)
      case .closing:
        commands.append(.abort(id(of: slot)))
      }
    }
  }

  /// Says goodbye to everyone, after what each is still owed.
  public mutating func shutDown(reason: String, at now: Duration) {
    endTurn()
    let range = outgoing.writer.frame(Goodbye(.shuttingDown, reason))
    for slot in connections.indices where connections[slot].phase == .live || connections[slot].phase == .greeting {
      lastWord(range, to: slot, at: now)
    }
  }

  // MARK: Helpers

  func id(of slot: Int) -> ConnectionID {
    ConnectionID(slot: slot, generation: connections[slot].generation)
  }

  func openSlot(_ connection: ConnectionID) -> Int? {
    let slot = connection.slot
    guard connections.indices.contains(slot), connections[slot].generation == connection.generation,
      connections[slot].phase != .free
    else { return nil }
    return slot
  }

  mutating func owe(_ slot: Int) {
    guard !connections[slot].isOwed else { return }
    connections[slot].isOwed = true
    owed.append(slot)
  }

  /// Writes one frame out of order: a welcome, or a last word.
  mutating func write(_ range: Range<Int>, to slot: Int) {
    outgoing.begin()
    outgoing.add(range)
    commands.append(.write(id(of: slot), pieces: outgoing.run))
  }

  mutating func setDeadline(_ time: Duration, for slot: Int) {
    connections[slot].deadline = time
    deadline = deadline.map { min($0, time) } ?? time
  }

  /// Tells a peer what it did wrong, and closes.
  mutating func fail(_ slot: Int, _ error: PeerError, at now: Duration) {
    commands.append(.report(.failed(id(of: slot), connections[slot].peer, error)))
    lastWord(outgoing.writer.frame(error), to: slot, at: now)
  }

  mutating func lastWord(_ range: Range<Int>, to slot: Int, at now: Duration) {
    stopFollowing(slot, remembering: true)
    removeAttendee(slot)
    write(range, to: slot)
    commands.append(.close(id(of: slot)))
    connections[slot].phase = .closing
    setDeadline(now + limits.linger, for: slot)
  }
}
