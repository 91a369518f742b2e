internal import EventLoop
internal import Glibc
internal import HubCore
internal import Reducers
internal import ServiceManager
internal import TurnLog
internal import Wire

/// The hub's shell: passes input and times to `HubCore` and executes its commands.
///
/// The loop's handles and the effects keep it alive until `abandon` or until it has stopped. There are no weak
/// references to it, since they would make every retain and release slower.
final class HubShell {
  // The properties of the hot path omit the run-time exclusivity check: the core never calls back, and the loop's
  // callbacks are never nested.
  @exclusivity(unchecked) private(set) var core: HubCore
  /// True if the core has received anything since the end of the last turn. The hook before the loop waits runs in
  /// every turn, and usually nothing has happened since the one after the callbacks. Skipping it saves 400 instructions
  /// at depth 1.
  @exclusivity(unchecked) var hasNews = true
  let loop: EventLoop
  let log: Log
  private(set) var socket: ServedSocket?
  private var hooks: TurnHooks?
  private var deadlineTimer: DeadlineTimer?
  private var nextTurn: Timer?
  @exclusivity(unchecked) private(set) var meter = WorkMeter()
  @exclusivity(unchecked) private var contention = Contention()
  /// The connections that sent much in a contended turn and are not read again until their turn.
  @exclusivity(unchecked) private var waitingReaders: [ConnectionID] = []
  /// True if the loop has polled since waiting frames were last handled in a contended turn.
  @exclusivity(unchecked) private var hasPolled = true
  @exclusivity(unchecked) private(set) var connections: [ServedConnection?] = []
  /// The last connection that was read in this turn.
  @exclusivity(unchecked) private(set) var lastSender: ConnectionID?
  /// The slow reads, while reads are timed.
  @exclusivity(unchecked) var slowReads = SlowReads()
  /// The time in milliseconds at which the current turn's callbacks began; nil before the first one.
  @exclusivity(unchecked) private var turnStart: UInt64?
  private let recording: Recording?
  /// The last turn of each batch that was passed to the log, and when.
  @exclusivity(unchecked) private var beingStored: [(position: UInt64, start: UInt64)] = []
  private var logEvents: WakeUp?
  private(set) var runner: EffectRunner<AnyAction>?
  private var onStopped: (() -> Void)?
  /// The receiver of the connections once the log has stored everything, and the callback for the end.
  @exclusivity(unchecked) var handingOver: (manager: ServiceManager, onStopped: (Bool) -> Void)?
  /// The accepted connections that are not served yet.
  @exclusivity(unchecked) var admission = Admission()
  /// The connections that survive a crash; nil if the hub keeps none.
  var resting: RestingConnections?
  var restingTimer: Timer?
  /// True if the next event starts another check of the connections at rest.
  @exclusivity(unchecked) var awaitsActivity = false
  /// The inodes of the sockets of inherited connections whose descriptors are in the service manager.
  var inheritedInodes: Set<UInt64> = []
  var onSocketLost: ((HubError) -> Void)?
  var onLogFailed: ((LogError) -> Void)?

  init(
    core: consuming HubCore, loop: EventLoop, path: String, mode: UInt32, recording: Recording?,
    inheritance: Inheritance, log: Log
  ) throws(HubError) {
    self.core = core
    self.recording = recording
    self.loop = loop
    self.log = log
    socket = try ServedSocket(
      on: loop, path: path, mode: mode, inherited: inheritance.listener, log: log,
      onConnection: { self.connectionArrived($0) },
      onLost: { self.socketLost($0) })
    do {
      hooks = try TurnHooks(on: loop, beforeWaiting: { self.willWait() }) { self.endTurn() }
      deadlineTimer = try DeadlineTimer(on: loop) { self.informed.expire(at: loop.now) }
      nextTurn = try Timer(on: loop) { (self.hasNews, self.hasPolled) = (true, true) }
      if let recording {
        let wakeUp = try WakeUp(on: loop) { self.receiveLogEvents(recording) }
        recording.mailbox.wake(wakeUp.sender)
        logEvents = consume wakeUp
      }
    } catch {
      abandon()
      throw .loop(error)
    }
    runner = EffectRunner(
      requests: EffectRunner.Requests(
        deliver: { action, effect in _ = self.informed.apply(action, from: effect) },
        finished: { effect in self.informed.finish(effect) },
        cancel: { id, path in self.informed.cancel(id, within: path) },
        dismiss: { path in self.informed.dismiss(path) }))
    self.core.onSend { self.informed.send($0) }
    informed.start()
    takeOver(inheritance)
  }

  var connectionCount: Int { core.connectionCount }

  var path: String { socket?.path ?? "" }

  /// True if the hub is stopping.
  var isStopping: Bool { onStopped != nil || handingOver != nil }

  var summary: String {
    let waiting = core.unstoredTurnCount
    let stored = waiting > 0 ? ", \(waiting) turns not stored" : ""
    return "\(core.connectionCount) connections, revision \(core.revision)\(stored)"
  }

  var storing: (isWaiting: Bool, last: UInt64)? { core.storedTurn.map { (core.unstoredTurnCount > 0, $0) } }

  var metrics: HubMetrics { core.metrics }

  func stop(reason: String, onStopped: @escaping () -> Void) {
    guard let socket, !isStopping else { return }
    self.onStopped = onStopped
    socket.stopListening()
    openWaiting(all: true)
    runner?.cancelAll()
    informed.shutDown(reason: reason, at: loop.now, wallTime: wallTime())
    endTurn()
    finishIfStopped()
  }

  /// Replaces the policy for new and open connections.
  func reload(_ policy: AccessPolicy) {
    informed.setPolicy(policy, at: loop.now)
    endTurn()
  }

  /// Releases all resources immediately.
  func abandon() {
    core.onSend(nil)
    runner?.cancelAll()
    (onStopped, onSocketLost, onLogFailed, runner) = (nil, nil, nil, nil)
    handingOver = nil
    logEvents = nil
    for connection in connections { if let connection { resting?.close(connection) } }
    resting = nil
    restingTimer = nil
    while let descriptor = admission.next() { close(descriptor) }
    connections = []
    hooks = nil
    deadlineTimer = nil
    nextTurn = nil
    socket = nil
  }

  // MARK: Events

  /// The core, for calls that must be followed by the end of a turn.
  var informed: HubCore {
    _read { yield core }
    _modify {
      hasNews = true
      yield &core
    }
  }

  private func socketLost(_ error: HubError) {
    log.write(.error, "new clients cannot connect: \(error)", Log.Details(.socketLost, ["REASON": "\(error)"]))
    onSocketLost?(error)
  }

  func open(_ stream: consuming PipeStream) throws(UVError) {
    let connection = try add(stream)
    do throws(UVError) { try startReading(connection) } catch {
      drop(connection.id)
      throw error
    }
  }

  /// Adds a connection, without reading from it yet.
  func add(_ stream: consuming PipeStream) throws(UVError) -> ServedConnection {
    let credentials = try stream.peerCredentials()
    let peer = Peer(
      process: credentials.process, user: credentials.user, group: credentials.group, groups: credentials.groups)
    let connection = ServedConnection(id: informed.connected(peer, at: loop.now), stream: stream)
    let id = connection.id
    while connections.count <= id.index { connections.append(nil) }
    connections[id.index] = connection
    // The callbacks hold the shell; closing the stream releases it.
    connection.stream.onDrained { self.informed.drained(id, at: self.loop.now) }
    return connection
  }

  func startReading(_ connection: ServedConnection) throws(UVError) {
    let id = connection.id
    try connection.stream.startReading(
      onBytes: { self.received($0, on: id) }, onEnd: { self.readingEnded(id, $0) })
  }

  private func received(_ bytes: RawSpan, on id: ConnectionID) {
    lastSender = id
    if slowReads.isOn { return receivedTimed(bytes, on: id) }
    handle(bytes, on: id)
  }

  /// Handles and times the bytes, after a blocked turn: the log then names exactly the action that blocks the next
  /// turn.
  private func receivedTimed(_ bytes: RawSpan, on id: ConnectionID) {
    let (start, peer) = (loop.nanoseconds, core.peer(of: id))
    handle(bytes, on: id)
    guard let peer else { return }
    slowReads.note(loop.nanoseconds - start, at: loop.turnMilliseconds) { ($0, core.names(ofActionsIn: bytes), peer) }
  }

  private func handle(_ bytes: RawSpan, on id: ConnectionID) {
    guard !core.isLogBehind else { return receivedBehindLog(bytes, on: id) }
    guard !contention.isOn else { return receivedInContention(bytes, on: id) }
    let work = informed.received(bytes, on: id, at: loop.now, limit: meter.limit, guaranteed: Contention.guaranteed)
    noteWork(work.count)
    if !work.isComplete { connections[id.index]?.stream.stopReading() }
    // Most turns end here, because no client has sent much recently.
    if Contention.isMuch(work, of: bytes.byteCount) {
      contention.noteMuch(from: connections[id.index], at: loop.turnMilliseconds)
    } else if contention.isPossible {
      contention.noteLittle(work.count, from: connections[id.index], at: loop.turnMilliseconds)
    }
  }

  private func receivedBehindLog(_ bytes: RawSpan, on id: ConnectionID) {
    let work = informed.received(bytes, on: id, at: loop.now, limit: 0)
    if !work.isComplete { connections[id.index]?.stream.stopReading() }
  }

  /// Handles a small part of each connection's input; the rest waits until the other clients have been served.
  private func receivedInContention(_ bytes: RawSpan, on id: ConnectionID) {
    let work = informed.received(bytes, on: id, at: loop.now, limit: 0, guaranteed: Contention.guaranteed)
    guard let connection = connections[id.index] else { return }
    if !work.isComplete {
      connection.stream.stopReading()
    } else if bytes.byteCount >= Contention.muchBytes {
      // A part of a large frame, which arrives over several turns as well.
      connection.stream.stopReading()
      waitingReaders.append(id)
    }
    if Contention.isMuch(work, of: bytes.byteCount) {
      contention.noteMuch(from: connection, at: loop.turnMilliseconds)
    } else {
      contention.noteLittle(work.count, from: connection, at: loop.turnMilliseconds)
    }
  }

  private func noteWork(_ count: Int) {
    meter.note(count, now: loop.nanoseconds, turnStart: loop.turnNanoseconds)
  }

  private func readingEnded(_ id: ConnectionID, _ error: UVError?) {
    guard let error else { return informed.inputEnded(id, at: loop.now) }
    log.write(.debug, "connection \(id.index): \(error)")
    drop(id)
  }

  // MARK: Log

  private func receiveLogEvents(_ recording: Recording) {
    for event in recording.mailbox.take() {
      switch event {
      case .stored(let position):
        noteStored(position)
        informed.stored(upTo: position, at: loop.now)
      case .saved(let revision):
        informed.snapshotEnded()
        log.write(.debug, "saved a snapshot of revision \(revision)")
      case .snapshotFailed(let error):
        informed.snapshotEnded()
        log.write(.error, "cannot save a snapshot: \(error)", Log.Details(.snapshotFailed, ["REASON": "\(error)"]))
      case .conflict(let position, let tail):
        fail(LogError(.inUse, "another hub has written turn \(position) of the log, which now ends at \(tail)"))
      case .failed(let error):
        fail(error)
      }
    }
    if onStopped != nil { finishIfStopped() }
    if handingOver != nil {
      endTurn()
      finishHandOver()
    }
  }

  private func noteStored(_ position: UInt64) {
    let now = loop.nanoseconds
    let count = beingStored.prefix { $0.position <= position }.count
    for (_, start) in beingStored[..<count] { core.noteStored(microseconds: (now - start) / 1000) }
    beingStored.removeFirst(count)
  }

  private func fail(_ error: LogError) {
    log.write(
      .error, "nothing more is acknowledged: \(error)",
      Log.Details(.logFailed, ["REASON": "\(error)", "REVISION": "\(core.revision)"]))
    runner?.cancelAll()
    informed.logFailed(reason: "the hub cannot store what it does; its operator must look", at: loop.now)
    onLogFailed?(error)
  }

  /// The wall-clock time in milliseconds since 1970.
  func wallTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  // MARK: Commands

  /// Ends the turn: all callbacks have run, and the loop has updated its clock.
  private func willWait() {
    if let start = turnStart {
      turnStart = nil
      let time = loop.turnMilliseconds - start
      core.noteTurn(milliseconds: time)
      if time >= Self.longTurn { reportLongTurn(time) }
      if slowReads.isOn { _ = slowReads.take() }
      lastSender = nil
      if core.lastWork != nil { core.forgetLastWork() }
    }
    endTurn()
    turnStart = nil
  }

  func endTurn() {
    guard hasNews else { return }
    hasNews = false
    if awaitsActivity { activityBegan() }
    if admission.isInUse { openWaiting() }
    turnStart = loop.turnMilliseconds
    if contention.isOn {
      workInContention()
    } else {
      if core.isContended { core.isContended = false }
      if !waitingReaders.isEmpty { resumeWaitingReaders() }
      while core.hasBacklog, meter.limit > 0, !core.isLogBehind, handingOver == nil {
        noteWork(core.workOnBacklog(limit: meter.limit, at: loop.now))
      }
    }
    meter.beginTurn()
    guard core.endTurn(at: core.hasManySubscribers ? loop.preciseNow : loop.now, wallTime: wallTime()) else {
      if admission.count > 0 { nextTurn?.start(after: .zero) }
      return
    }
    performCommands()
    deadlineTimer?.arm(core.deadline)
    // Waiting frames and snapshots continue as soon as everything else was served.
    if core.needsAnotherTurn || !waitingReaders.isEmpty || admission.count > 0, handingOver == nil {
      nextTurn?.start(after: .zero)
    } else if core.publicationDue != nil || core.allowanceDue != nil || core.metricsDue != nil {
      // Only in this case: allocating an array in every turn would cost hundreds of instructions.
      let due = [core.publicationDue, core.allowanceDue, core.metricsDue].compactMap(\.self).min()
      if let due { nextTurn?.start(after: due - loop.preciseNow) }
    }
  }

  /// Handles waiting frames for a short time, once between two polls, and resumes reading from one connection.
  private func workInContention() {
    contention.update(at: loop.turnMilliseconds)
    core.isContended = contention.isOn
    guard hasPolled, handingOver == nil else { return }
    hasPolled = false
    if core.hasBacklog, !core.isLogBehind {
      let (start, limit) = (loop.nanoseconds, meter.contendedLimit)
      var count = 0
      while count < limit, core.hasBacklog { count += core.workOnBacklog(limit: limit - count, at: loop.now) }
      meter.noteContended(count, elapsed: loop.nanoseconds - start)
    }
    if !waitingReaders.isEmpty { resumeReading(waitingReaders.removeFirst()) }
    if !contention.isOn { resumeWaitingReaders() }
  }

  private func resumeWaitingReaders() {
    for id in waitingReaders { resumeReading(id) }
    waitingReaders = []
  }

  private func resumeReading(_ id: ConnectionID) {
    guard let connection = connection(id), handingOver == nil else { return }
    do throws(UVError) { try connection.stream.resumeReading() } catch { readingEnded(id, error) }
  }

  func performCommands() {
    var next = 0
    // Executing a command may add more.
    while next < core.commandCount {
      perform(core.command(next))
      next += 1
    }
    if next > 0 { core.clear() }
  }

  private func perform(_ command: HubCommand) {
    switch command {
    case .write(let id, let run):
      guard let connection = connection(id) else { return }
      do throws(UVError) {
        if try !connection.stream.write(core.outputBytes, pieces: core.pieces(run)) {
          informed.isBusy(id, queuedBytes: connection.stream.queuedByteCount, at: loop.now)
        }
      } catch {
        log.write(.debug, "connection \(id.index): \(error)")
        drop(id)
      }
    case .resumeReading(let id):
      resumeReading(id)
    case .close(let id):
      guard let connection = connection(id) else { return }
      connection.stream.stopReading()
      connection.stream.finishWriting { self.drop(id) }
    case .abort(let id):
      drop(id)
    case .store:
      if let last = core.turnsToStore.last { beingStored.append((last.position, loop.nanoseconds)) }
      recording?.log.append(core.turnsToStore)
    case .saveSnapshot:
      recording?.log.save(core.snapshot())
    case .releaseMemory:
      releaseFreeMemory()
    case .report(let index):
      let report = core.reports[index]
      log.write(report.level, cause: report.cause, report.text, report.details(at: core.revision))
    case .effect(let index):
      runner?.execute([core.effectCommands[index]])
    }
  }

  private func connection(_ id: ConnectionID) -> ServedConnection? {
    guard connections.indices.contains(id.index), let connection = connections[id.index], connection.id == id else {
      return nil
    }
    return connection
  }

  private func drop(_ id: ConnectionID) {
    guard let dropped = connection(id) else { return }
    resting?.close(dropped)
    connections[id.index] = nil
    informed.ended(id)
    socket?.resume()
    finishIfStopped()
  }

  private func finishIfStopped() {
    guard core.connectionCount + core.closingCount == 0, core.unstoredTurnCount == 0, let onStopped else { return }
    abandon()
    onStopped()
  }
}

/// An open connection's socket.
final class ServedConnection {
  let id: ConnectionID
  let stream: PipeStream
  /// The last time in milliseconds at which it sent more than a turn has time for.
  @exclusivity(unchecked) var lastMuch: UInt64?
  /// The slot in the table of connections at rest.
  var restingSlot: Int?

  init(id: ConnectionID, stream: consuming PipeStream) {
    self.id = id
    self.stream = stream
  }
}
