package import EventLoop
package import ReplicaCore
package import Wire

/// A `ReplicaCore` with a socket, on the loop: it executes the replica's commands that are about the socket, and tells
/// the replica of bytes, deadlines and ends.
///
/// Its owner is a client: it talks to `replica`, and executes the other commands, which are about subscriptions, actions
/// and the state of the connection.
///
/// ```swift
/// let connection = try ReplicaConnection(on: loop, to: path, schema: schema, options: options)
/// connection.onTurn = { connection.endTurn { command in … } }
/// connection.replica.start()
/// ```
package final class ReplicaConnection {
  /// The client's half of the protocol. Its commands are executed by `endTurn`.
  package var replica: ReplicaCore
  /// The path of the hub's socket.
  package let path: String
  /// True if the last attempt to connect has failed because no hub listens on the socket.
  package private(set) var isHubMissing = false
  /// The last error of a write. The end of reading reports the connection's failure, but that may be too late for output
  /// that must have been sent.
  package private(set) var writeFailure: UVError?
  /// Called at the end of each turn of the loop; must call `endTurn`.
  package var onTurn: (() -> Void)?
  /// Called with received bytes in place of `received`, which it must call.
  package var onBytes: ((RawSpan) -> Void)?

  private let loop: EventLoop
  private var stream: PipeStream?
  private var hooks: TurnHooks?
  private var deadlineTimer: DeadlineTimer?
  private var isPerforming = false
  private var isPaused = false
  /// The time before which the hub's silence does not count, because reading was paused.
  private var graceEnd = Duration.zero

  /// Creates a connection whose replica is not started yet.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive the connection.
  ///   - path: The path of the hub's socket.
  ///   - schema: The schema of the compiled feature; nil for a tool that uses the hub's.
  ///   - options: The options of the replica.
  package init(
    on loop: EventLoop, to path: String, schema: Schema?, options: ReplicaOptions
  ) throws(UVError) {
    (self.loop, self.path) = (loop, path)
    replica = ReplicaCore(schema: schema, options: options)
    // Before the hooks: those of a busy poll see what these write.
    if options.busyPoll > loop.busyPoll { loop.busyPoll = options.busyPoll }
    // Unowned and not weak, which would make every retain slower: neither outlives this object.
    hooks = try TurnHooks(on: loop) { [unowned self] in onTurn?() }
    deadlineTimer = try DeadlineTimer(on: loop) { [unowned self] in deadlinePassed() }
  }

  /// Pauses the pings of an idle connection, or resumes them.
  package func setProbing(_ isProbing: Bool) { replica.setProbing(isProbing, at: loop.preciseNow) }

  /// Closes the replica and executes its last commands, for an owner that is being released. The loop may be closed
  /// already.
  package func release(_ handle: (ReplicaCommand) -> Void) {
    replica.close()
    var next = 0
    while next < replica.commands.count {
      let command = replica.commands[next]
      next += 1
      if case .connect = command { continue }
      perform(command, handle)
    }
  }

  /// Ends all calls of `onTurn`, for a replica that is closed.
  package func end() {
    hooks = nil
    deadlineTimer = nil
  }

  // MARK: The turn

  /// Ends a turn: sends the replica's output, and executes its commands in order; `handle` executes those that are not
  /// about the socket.
  ///
  /// - Returns: False, without an effect, if `handle` has called it. Commands that `handle` adds are executed after the
  ///   earlier ones.
  @discardableResult
  package func endTurn(_ handle: (ReplicaCommand) -> Void) -> Bool {
    guard !isPerforming else { return false }
    replica.endTurn(at: loop.now)
    isPerforming = true
    defer { isPerforming = false }
    var next = 0
    // Executing a command may add more.
    while next < replica.commands.count {
      perform(replica.commands[next], handle)
      next += 1
    }
    if next > 0 { replica.clear() }
    if !isPaused { deadlineTimer?.arm(replica.deadline.map { max($0, graceEnd) }) }
    return true
  }

  private func perform(_ command: ReplicaCommand, _ handle: (ReplicaCommand) -> Void) {
    switch command {
    case .connect: connect()
    case .disconnect: disconnect()
    case .write(let range):
      do throws(UVError) {
        if let isOut = try stream?.write(replica.output.span(range)), !isOut { replica.noteBusy() }
      } catch {
        writeFailure = error
      }
    case .store, .changed, .diverged, .connectionChanged, .applied, .failed: handle(command)
    }
  }

  private func deadlinePassed() {
    if !isPaused, loop.now >= graceEnd { replica.expire(at: loop.now) }
  }

  // MARK: The socket

  /// Adds an action to be sent at the end of the turn.
  ///
  /// - Parameters:
  ///   - context: The object that is returned with the outcome.
  ///   - encode: Writes the action.
  /// - Throws: `tooManyPending`, `tooLarge` or `notConnected`; the action is then discarded.
  /// - Complexity: O(bytes of the action), amortised, without an allocation.
  package func send(
    context: AnyObject, encodedBy encode: (inout CBOREncoder) -> Void
  ) throws(ActionError) -> ActionTicket {
    try replica.send(context: context, encodedBy: encode)
  }

  /// Cancels the effects of an action in the hub.
  package func cancelEffects(of ticket: ActionTicket) { replica.cancelEffects(of: ticket) }

  /// Passes received bytes to the replica.
  package func received(_ bytes: RawSpan) {
    replica.received(bytes, at: loop.now)
  }

  /// Records that the changes of the outbox are stored.
  package func outboxStored() { replica.outboxStored(at: loop.now) }

  /// Records that the changes of the outbox could not be stored.
  package func outboxFailed(reason: String) { replica.outboxFailed(reason: reason, at: loop.now) }

  /// True if the socket has accepted all output; false without a connection.
  package var isFlushed: Bool { stream?.queuedByteCount == 0 }

  /// Stops reading until `resumeReading`. Meanwhile, the hub's silence does not count.
  package func stopReading() {
    isPaused = true
    stream?.stopReading()
  }

  /// Resumes reading. The hub's silence counts when the time of grace has passed, because its answers may have been in
  /// the socket for a long time.
  package func resumeReading(grace: Duration) throws(UVError) {
    isPaused = false
    graceEnd = loop.now + grace
    try stream?.resumeReading()
  }

  private func connect() {
    do throws(UVError) {
      let stream = try PipeStream(on: loop)
      try stream.connect(to: path) { [weak self] in self?.connectionAttemptEnded($0) }
      self.stream = consume stream
    } catch {
      connectionFailed(error)
    }
  }

  private func connectionAttemptEnded(_ error: UVError?) {
    do throws(UVError) {
      if let error { throw error }
      try stream?.startReading(
        onBytes: { [weak self] bytes in
          guard let self else { return }
          if let onBytes { onBytes(bytes) } else { received(bytes) }
        },
        onEnd: { [weak self] error in self?.readingEnded(error) })
      stream?.onDrained { [weak self] in self?.replica.drained() }
      isHubMissing = false
      replica.connected(at: loop.now)
    } catch {
      stream = nil
      connectionFailed(error)
    }
  }

  private func connectionFailed(_ error: UVError) {
    isHubMissing = error.isHubMissing
    let advice = error.connectionAdvice
    replica.disconnected(reason: advice.isEmpty ? "\(error)" : "\(error). \(advice)", at: loop.now)
  }

  private func readingEnded(_ error: UVError?) {
    stream = nil
    let text: String
    switch error {
    case nil: text = "the hub closed the connection"
    // Also from the socket on which a service manager listens for a hub that cannot start.
    case let error? where error.code == UVError.Code.connectionReset:
      text = "the hub ended without reading what was sent, or could not start: see its log"
    case let error?: text = "\(error)"
    }
    replica.disconnected(reason: text, at: loop.now)
  }

  /// Releases the stream; bytes that were written already are still sent.
  private func disconnect() {
    guard let old = stream.take() else { return }
    ClosingStream(old).finish()
  }
}
