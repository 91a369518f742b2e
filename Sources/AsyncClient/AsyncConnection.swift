internal import Dispatch
internal import EventLoop
internal import IssueReporting
package import ReplicaCore
package import Senders
internal import Synchronization
package import Wire

/// A `ReplicaCore` with a socket, as an actor on a queue of its own: it executes the replica's commands, and tells the
/// replica of bytes, deadlines and ends.
///
/// It knows no types, like the core: `AsyncClient` is the typed view of it.
package actor AsyncConnection {
  /// The path of the hub's socket.
  package nonisolated let path: String
  private nonisolated let executor = QueueExecutor(label: "storehub.client")
  private var replica: ReplicaCore
  private let options: ReplicaOptions
  /// The maximum number of bytes of pending actions.
  private let pendingBytes: Int
  private let onDivergence: (@Sendable (Divergence) -> Void)?
  private var socket: QueueSocket?
  private var timer: QueueTimer?
  /// The time at which the timer fires.
  private var armed: Duration?
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
  private var isPerforming = false
  private var isTurnDue = false
  private var room = RoomQueue()
  private var watched: [WatchedPart.Key: WatchedPart] = [:]
  private var stateObservers: [UInt64: AsyncStream<ConnectionState>.Continuation] = [:]
  private var life = Life.new

  private enum Life {
    case new
    case running(CheckedContinuation<Void, Never>?)
    /// Pending actions may still be answered until the time.
    case ending(at: Duration, CheckedContinuation<Void, Never>?)
    case ended
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Creates a connection that does nothing before `run`.
  ///
  /// - Parameters:
  ///   - path: The path of the hub's socket.
  ///   - schema: The schema of the compiled feature; nil for a tool that uses the hub's.
  ///   - options: The options of the replica.
  ///   - pendingBytes: The number of bytes of pending actions from which on a further action waits.
  ///   - onDivergence: Called on the queue if a part differs from the hub's; without it, an issue is reported.
  package init(
    to path: String, schema: Schema?, options: ReplicaOptions, pendingBytes: Int,
    onDivergence: (@Sendable (Divergence) -> Void)?
  ) {
    (self.path, self.options, self.pendingBytes) = (path, options, pendingBytes)
    self.onDivergence = onDivergence
    replica = ReplicaCore(schema: schema, options: options)
  }

  // MARK: Life

  /// Connects, and serves the connection until the task is cancelled, or the hub refuses this client.
  ///
  /// - Parameter grace: The time after the cancellation in which pending actions may still be answered.
  /// - Precondition: It was not called before.
  package func run(grace: Duration) async {
    guard case .new = life else { preconditionFailure("a client runs once") }
    life = .running(nil)
    timer = QueueTimer(on: executor.queue) { [weak self] in self?.assumeIsolated { $0.deadlinePassed() } }
    replica.start()
    endTurn()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        switch life {
        case .running: life = .running(continuation)
        case .ending(let time, _): life = .ending(at: time, continuation)
        case .new, .ended: continuation.resume()
        }
      }
    } onCancel: {
      enter { $0.end(within: grace) }
    }
  }

  private func end(within grace: Duration) {
    guard case .running(let continuation) = life else { return }
    life = .ending(at: now + grace, continuation)
    endTurn()
  }

  /// Ends all that waits, because there will be no further attempt to connect.
  private func finish() {
    let continuation: CheckedContinuation<Void, Never>?
    switch life {
    case .new, .ended: return
    case .running(let waiting), .ending(_, let waiting): continuation = waiting
    }
    life = .ended
    (socket, timer) = (nil, nil)
    for part in watched.values { part.finish() }
    for observer in stateObservers.values { observer.finish() }
    (watched, stateObservers) = ([:], [:])
    continuation?.resume()
  }

  /// Runs a closure on the queue, soon.
  package nonisolated func enter(_ body: @escaping @Sendable (isolated AsyncConnection) -> Void) {
    executor.queue.async { self.assumeIsolated(body) }
  }

  // MARK: Figures

  /// The state of the connection.
  package var connection: ConnectionState { replica.connection }
  /// The hub's name; empty before the first welcome.
  package var hubName: String { replica.hubName }
  /// This client as the hub's reducers see it; nil before the first welcome.
  package var identity: HubClient? { replica.client }
  /// The number of actions without an outcome.
  package var pendingActionCount: Int { replica.pendingActionCount }
  /// True if the hub was refused because it runs another feature.
  package var isHubOfOtherFeature: Bool { replica.isHubOfOtherFeature }
  /// The schema of the feature: the compiled one, or that of the first hub.
  package var schema: Schema? { replica.schema }

  /// The states of the connection, from the one of now; if several follow quickly, only the last.
  package nonisolated func states() -> AsyncStream<ConnectionState> {
    let (stream, continuation) = AsyncStream.makeStream(of: ConnectionState.self, bufferingPolicy: .bufferingNewest(1))
    let number = newObserver()
    continuation.onTermination = { [weak self] _ in self?.enter { $0.stateObservers[number] = nil } }
    enter { $0.observe(number, continuation) }
    return stream
  }

  private nonisolated let observerCount = Atomic<UInt64>(0)

  /// Returns a number for an observer. Its stream needs its handler of the end before anyone can end it: one that is set
  /// later is not called.
  private nonisolated func newObserver() -> UInt64 { observerCount.add(1, ordering: .relaxed).newValue }

  private func observe(_ number: UInt64, _ continuation: AsyncStream<ConnectionState>.Continuation) {
    continuation.yield(replica.connection)
    if case .ended = life { return continuation.finish() }
    stateObservers[number] = continuation
  }

  // MARK: Actions

  /// Takes an action, which is sent at the end of the turn; waits while too many are pending.
  ///
  /// - Throws: `ActionError`, or `CancellationError`; the action is then discarded.
  package func begin(_ bytes: [UInt8]) async throws -> SentAction {
    try Task.checkCancellation()
    if !room.isEmpty || !hasRoom(beside: (room.reservedCount, room.reservedByteCount)) {
      try await waitForRoom(byteCount: bytes.count)
      room.release(byteCount: bytes.count)
    }
    // Also if the action is refused: the next sender has its room.
    defer { scheduleTurn() }
    if case .ending = life { throw ActionError.notConnected(reason: "the client is ending") }
    let outcome = ActionOutcome()
    let ticket = try replica.send(context: outcome) { $0.append(bytes.span.bytes) }
    return SentAction(connection: self, ticket: ticket, outcome: outcome)
  }

  private func hasRoom(beside reserved: (count: Int, bytes: Int)) -> Bool {
    if case .ended = life { return true }
    return replica.pendingActionCount + reserved.count < options.pendingActions
      && replica.pendingByteCount + reserved.bytes < pendingBytes
  }

  private func waitForRoom(byteCount: Int) async throws {
    let number = room.number()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        // The handler has found nobody to wake.
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        room.append(number, byteCount: byteCount, continuation)
      }
    } onCancel: {
      enter { $0.room.cancel(number) }
    }
  }

  /// Cancels the effects of an action in the hub.
  package func cancelEffects(of ticket: ActionTicket) {
    replica.cancelEffects(of: ticket)
    scheduleTurn()
  }

  // MARK: Parts

  /// Subscribes to a part, or joins the others that have.
  ///
  /// - Parameters:
  ///   - key: The part.
  ///   - makeMirror: Makes its mirror if there is none.
  /// - Returns: A value for each change, and one at once if the part is known; those that nobody has taken are one.
  package nonisolated func changes(
    of key: WatchedPart.Key, makeMirror: @escaping @Sendable () -> any Mirror
  ) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = newObserver()
    continuation.onTermination = { [weak self] _ in self?.enter { $0.unwatch(key, number) } }
    enter { $0.watch(key, number, continuation, makeMirror) }
    return stream
  }

  private func watch(
    _ key: WatchedPart.Key, _ number: UInt64, _ continuation: AsyncStream<Void>.Continuation,
    _ makeMirror: () -> any Mirror
  ) {
    if case .ended = life { return continuation.finish() }
    let part: WatchedPart
    if let known = watched[key] {
      part = known
    } else {
      part = WatchedPart(makeMirror())
      watched[key] = part
      if let view = key.view {
        replica.subscribe(part.mirror, to: view.reference, at: key.path, schema: view.schema, context: part)
      } else {
        replica.subscribe(part.mirror, to: key.path, of: key.root, context: part)
      }
      scheduleTurn()
    }
    part.observers[number] = continuation
    if part.mirror.revision != nil { continuation.yield() }
  }

  private func unwatch(_ key: WatchedPart.Key, _ number: UInt64) {
    guard let part = watched[key] else { return }
    part.observers[number] = nil
    guard part.observers.isEmpty else { return }
    watched[key] = nil
    replica.unsubscribe(part.mirror)
    scheduleTurn()
  }

  /// Reads the mirror of a part; nil if nobody watches it any more.
  package func read<Content: Mirror, Result: Sendable>(
    _ key: WatchedPart.Key, as type: Content.Type,
    _ body: @Sendable (Content, _ refusal: String?, _ code: PeerErrorCode?) -> Result
  ) -> Result? {
    guard let mirror = watched[key]?.mirror as? Content else { return nil }
    return body(mirror, replica.refusal(of: mirror), replica.refusalCode(of: mirror))
  }

  /// Requests the hub's hash of a part, with which its mirror is compared.
  package func verify(_ key: WatchedPart.Key) {
    guard let part = watched[key] else { return }
    replica.verify(part.mirror)
    scheduleTurn()
  }

  // MARK: The turn

  private var now: Duration { SuspendingClock.now - Self.epoch }
  private static let epoch = SuspendingClock.now

  /// Ends the turn after the jobs that are in the queue, so that what they send is one write.
  private func scheduleTurn() {
    guard !isTurnDue else { return }
    isTurnDue = true
    enter {
      $0.isTurnDue = false
      $0.endTurn()
    }
  }

  /// Sends the replica's output, and executes its commands in order.
  private func endTurn() {
    guard !isPerforming else { return }
    if case .ending(let end, _) = life, replica.pendingActionCount == 0 || now >= end { replica.close() }
    replica.endTurn(at: now)
    isPerforming = true
    var next = 0
    // Executing a command may add more.
    while next < replica.commands.count {
      perform(replica.commands[next])
      next += 1
    }
    isPerforming = false
    if next > 0 { replica.clear() }
    switch replica.connection {
    case .closed, .refused: finish()
    case .connecting, .live, .stale: arm()
    }
    if !room.isEmpty { room.wake { hasRoom(beside: $0) } }
  }

  private func perform(_ command: ReplicaCommand) {
    switch command {
    case .connect: connect()
    case .disconnect: socket = nil
    case .write(let range):
      if let isOut = socket?.write(replica.output, range), !isOut { replica.noteBusy() }
    case .store: break  // Only with an outbox.
    case .changed(_, let context): (context as? WatchedPart)?.changed()
    case .diverged(_, let divergence):
      if let onDivergence { onDivergence(divergence) } else { reportIssue("\(divergence)") }
    case .connectionChanged:
      for observer in stateObservers.values { observer.yield(replica.connection) }
    case .applied(_, let context): (context as? ActionOutcome)?.complete(.success(()))
    case .failed(_, let context, let error): (context as? ActionOutcome)?.complete(.failure(error))
    }
  }

  /// The time after which the socket is read without an event while actions have no outcome.
  private static let lookInterval = Duration.seconds(1)

  /// Sets the timer, unless it fires early enough: then it is set again, which is cheaper than setting it in each turn.
  private func arm() {
    var deadline = replica.deadline
    if case .ending(let end, _) = life { deadline = min(deadline ?? end, end) }
    // A source can miss the end of a connection; whoever waits for an answer looks for it.
    if socket != nil, replica.pendingActionCount > 0 {
      let look = now + Self.lookInterval
      deadline = min(deadline ?? look, look)
    }
    guard let deadline, armed.map({ deadline < $0 }) ?? true else { return }
    armed = deadline
    timer?.start(after: deadline - now)
  }

  private func deadlinePassed() {
    armed = nil
    // If the process was stopped, the hub's answers may be in the socket; and a source can have missed its end.
    readAvailable()
    replica.expire(at: now)
    endTurn()
  }

  // MARK: The socket

  private func connect() {
    do throws(UVError) {
      socket = try QueueSocket(
        to: path, on: executor.queue,
        onReadable: { [weak self] in self?.assumeIsolated { $0.becameReadable() } },
        onWritable: { [weak self] in self?.assumeIsolated { $0.becameWritable() } })
      replica.connected(at: now)
    } catch {
      let advice = error.connectionAdvice
      replica.disconnected(reason: advice.isEmpty ? "\(error)" : "\(error). \(advice)", at: now)
    }
  }

  private func becameReadable() {
    readAvailable()
    endTurn()
  }

  /// Reads one buffer, and comes back for more until there is nothing: once the hub has closed the connection, the
  /// source does not tell of the end that follows these bytes.
  private func readAvailable() {
    guard let socket else { return }
    switch socket.read(into: &buffer) {
    case .nothing: break
    case .bytes(let count):
      let bytes = buffer
      replica.received(bytes.span.bytes.extracting(first: count), at: now)
      enter { $0.becameReadable() }
    case .end(let error):
      self.socket = nil
      replica.disconnected(reason: error.map { "\($0)" } ?? "the hub closed the connection", at: now)
    }
  }

  private func becameWritable() {
    guard socket?.flush() == true else { return }
    replica.drained()
    endTurn()
  }
}
