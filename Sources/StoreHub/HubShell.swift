internal import EventLoop
internal import FeatureCore
internal import Glibc
internal import HubCore
internal import ProgramOptions
internal import ServiceManager
internal import ServiceProcess
internal import TurnLog
internal import Wire

/// The hub's shell: passes input and times to `HubCore` and executes its commands.
///
/// The loop's handles and the effects keep it alive until `abandon` or until it has stopped. There are no weak
/// references to it, since they would make every retain and release slower.
final class HubShell {
  // The properties of the hot path omit the run-time exclusivity check: the core never calls back, and the loop's
  // callbacks are never nested.
  @exclusivity(unchecked) var core: HubCore
  /// True if the core has received anything since the end of the last turn. The hook before the loop waits runs in
  /// every turn, and usually nothing has happened since the one after the callbacks. Skipping it saves 400 instructions
  /// at depth 1.
  @exclusivity(unchecked) var hasNews = true
  let loop: EventLoop
  let log: Log
  private(set) var socket: ServedSocket?
  private var hooks: TurnHooks?
  private(set) var deadlineTimer: DeadlineTimer?
  private(set) var turnTimer: Timer?
  private(set) var releaseTimer: Timer?
  private(set) var memoryRelease = MemoryRelease()
  @exclusivity(unchecked) var scheduler = TurnScheduler()
  /// True if the loop and the socket have the limits of a contended turn.
  var limitsArrivals = false
  /// The connections that sent much in a contended turn and are not read again until their turn.
  @exclusivity(unchecked) var waitingReaders: [ConnectionID] = []
  /// True if the loop has polled since the last turn, which left work for this one.
  @exclusivity(unchecked) var continues = false
  @exclusivity(unchecked) var connections: [ServedConnection?] = []
  /// The last connection that was read in this turn.
  @exclusivity(unchecked) var lastSender: ConnectionID?
  /// The slow reads, while reads are timed.
  @exclusivity(unchecked) var slowReads = SlowReads()
  /// The time in milliseconds at which the current turn's callbacks began; nil before the first one.
  @exclusivity(unchecked) var turnStart: UInt64?
  let recording: Recording?
  /// The last turn of each batch that was passed to the log, and when.
  @exclusivity(unchecked) var beingStored: [(position: UInt64, start: UInt64)] = []
  private var logEvents: WakeUp?
  private var markFile: MarkFile?
  /// The reason why the log cannot store turns at the moment, although it has not failed.
  var logBlockade: LogError?
  /// The time for which turns have waited for the log.
  @exclusivity(unchecked) var storeTimes = DurationHistogram()
  /// The durations of the loop's turns.
  @exclusivity(unchecked) var turnWatch = TurnWatch()
  private(set) var runner: EffectRunner<AnyAction>?
  /// Runs the effects on this thread.
  private var effectTasks: LoopTasks?
  /// True while effects are suspended because many of their actions wait for the log.
  private(set) var suspendsEffects = false
  private(set) var onStopped: (() -> Void)?
  /// The receiver of the connections once the log has stored everything, and the callback for the end.
  @exclusivity(unchecked) var handingOver: (manager: ServiceManager, onStopped: (Bool) -> Void)?
  var userNames = UserNames()
  /// The accepted connections that are not served yet.
  @exclusivity(unchecked) var admission = Admission()
  /// The connections that survive a crash; nil if the hub keeps none.
  var resting: RestingConnections?
  var restingTimer: Timer?
  /// True if the next event starts another check of the connections at rest.
  @exclusivity(unchecked) var awaitsActivity = false
  /// The inodes of the sockets of inherited connections whose descriptors are in the service manager.
  var inheritedInodes: Set<UInt64> = []
  /// Ends the wait for another hub of the cluster that shall lead after this one; nil while there is none.
  var handOverLimit: Timer?
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
      deadlineTimer = try DeadlineTimer(on: loop) { self.inform { $0.expire(at: loop.now) } }
      turnTimer = try Timer(on: loop) { self.continues = true }
      releaseTimer = try Timer(on: loop) { self.releaseMemory() }
      releaseTimer?.keepsLoopAlive(false)
      effectTasks = try LoopTasks(on: loop) { self.reportBlocking(effect: $0, $1) }
      if let recording {
        let wakeUp = try WakeUp(on: loop) { self.receiveLogEvents(recording) }
        recording.mailbox.wake(wakeUp.sender)
        logEvents = consume wakeUp
      }
    } catch {
      abandon()
      throw .loop(error)
    }
    beginEffects()
    self.core.setReceiver { action in self.inform { $0.send(action) } }
    self.core.setLateness { self.isLate() }
    self.core.setClock { wallTime() }
    self.core.setIrreproducibleReadReport { [log] in log.write(.warning, $0) }
    self.core.viewClock = { [loop] in loop.preciseNow }
    self.core.storeReadStarts(in: loop.readBuffer.lastStart)
    // Nothing of the feature has run yet, and this process has the socket.
    markFile = MarkFile(besideSocket: self.path, schema: self.core.featureSchema, log: log)
    self.core.setMark(markFile?.mark)
    if let replication = recording?.replication {
      self.core.setClusterStatus { replication.status }
      replication.onEvent = { self.receive($0) }
    } else {
      inform { $0.start() }
    }
    takeOver(inheritance)
  }

  /// Runs the effects that the core starts from now on; those of before have been cancelled.
  ///
  /// - Parameter term: The term in which the hub leads its cluster; nil without one.
  func beginEffects(inTerm term: UInt64? = nil) {
    runner = EffectRunner(
      executor: { self.executor(of: $0) },
      callAtOnce: { [weak effectTasks] in effectTasks?.callOnLoop($0) ?? false }, fencingToken: term,
      requests: EffectRunner.Requests(
        deliver: { action, effect in self.deliver(action, from: effect) },
        finished: { effect in self.inform { $0.finish(effect) } },
        cancel: { id, path in self.inform { $0.cancel(id, within: path) } },
        dismiss: { path in self.inform { $0.dismiss(path) } }))
  }

  /// Cancels all effects of a hub that goes on.
  func cancelEffects() {
    runner?.cancelAll()
    resumeEffects()
    beginEffects()
  }

  var connectionCount: Int { core.connectionCount }

  var path: String { socket?.path ?? "" }

  /// True if the hub is stopping.
  var isStopping: Bool { onStopped != nil || handingOver != nil }

  var summary: String {
    let waiting = core.unstoredTurnCount
    let stored = waiting > 0 ? ", \(counted(waiting, "turn")) not stored" : ""
    // A hub that stops has said goodbye to all; some have not read it yet.
    let clients =
      isStopping
      ? "\(counted(connections.count { $0 != nil }, "client")) with unread output"
      : counted(core.ownConnectionCount, "connection")
    let blockade = logBlockade.map { "; turns wait: \($0)" } ?? ""
    let part = recording?.replication.map { "\($0.status.summary); " } ?? ""
    return "\(part)\(clients), revision \(core.revision)\(stored)\(blockade)"
  }

  /// A log that waits for another program, or for other machines, is alive, and another process of this hub could do no
  /// more.
  var storing: (isWaiting: Bool, last: UInt64)? {
    guard !isReplicated else { return nil }
    return core.storedTurn.map { (core.unstoredTurnCount > 0 && logBlockade == nil, $0) }
  }

  var metrics: HubMetrics { core.metrics }

  func stop(reason: String, onStopped: @escaping () -> Void) {
    guard let socket, !isStopping else { return }
    self.onStopped = onStopped
    socket.stopListening()
    openWaiting(all: true)
    runner?.cancelAll()
    inform { $0.shutDown(reason: reason, at: loop.now, wallTime: wallTime()) }
    endTurn()
    // After the last turns of this hub, which the log takes first.
    beginHandOver()
    finishIfStopped()
  }

  /// Replaces the policy for new and open connections.
  func reload(_ policy: AccessPolicy) {
    inform { $0.setPolicy(policy, at: loop.now) }
    endTurn()
  }

  /// Releases all resources immediately.
  func abandon() {
    recording?.replication?.onEvent = nil
    core.setReceiver(nil)
    core.setLateness(nil)
    core.setClock(nil)
    core.setIrreproducibleReadReport(nil)
    core.viewClock = nil
    core.setClusterStatus(nil)
    resumeEffects()
    runner?.cancelAll()
    (onStopped, onSocketLost, onLogFailed, runner, effectTasks) = (nil, nil, nil, nil, nil)
    handingOver = nil
    handOverLimit = nil
    logEvents = nil
    for connection in connections { if let connection { resting?.close(connection) } }
    resting = nil
    restingTimer = nil
    while let descriptor = admission.next() { close(descriptor) }
    connections = []
    hooks = nil
    deadlineTimer = nil
    turnTimer = nil
    releaseTimer = nil
    core.setMark(nil)
    core.storeReadStarts(in: nil)
    // While the claim on the socket's path is held.
    markFile?.remove()
    markFile = nil
    socket = nil
  }

  // MARK: Events

  /// Tells the core something, after which the turn must be ended.
  @inline(__always)
  @discardableResult
  func inform<Result>(_ body: (inout HubCore) -> Result) -> Result {
    hasNews = true
    return body(&core)
  }

  private func deliver(_ action: AnyAction, from effect: EffectID?) {
    inform { _ = $0.apply(action, from: effect) }
    guard core.postponedCount >= core.limits.postponedActions, !suspendsEffects else { return }
    suspendsEffects = true
    loop.pauseMainQueue()
  }

  /// The executor of an effect; nil for one that runs on the pool.
  private func executor(of effect: EffectOperation<AnyAction>) -> (any TaskExecutor)? {
    guard effect.place == .store else { return nil }
    return effectTasks?.executor { [name = effect.name, site = effect.site] in
      [name.map { "\"\($0)\"" }, site.map { "at \($0.file):\($0.line)" }].compactMap(\.self).joined(separator: " ")
    }
  }

  func resumeEffects() {
    guard suspendsEffects else { return }
    suspendsEffects = false
    loop.resumeMainQueue()
  }

  /// Returns freed memory to the system, later if that has taken much of the loop's time recently.
  func releaseMemory() {
    let start = loop.nanoseconds
    if let delay = memoryRelease.delay(at: start) {
      releaseTimer?.start(after: delay)
    } else {
      releaseFreeMemory()
      memoryRelease.note(from: start, to: loop.nanoseconds)
    }
  }

  private func socketLost(_ error: HubError) {
    log.write(.error, "new clients cannot connect: \(error)", Log.Details(.socketLost, ["REASON": "\(error)"]))
    onSocketLost?(error)
  }

  func finishIfStopped() {
    guard core.connectionCount + core.closingCount == 0, core.unstoredTurnCount == 0, handOverLimit == nil,
      let onStopped
    else { return }
    abandon()
    onStopped()
  }
}
