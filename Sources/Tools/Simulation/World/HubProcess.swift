import FeatureCore
import HubCore
import TurnLog
import Wire

/// A hub's process: the core and a virtual shell, which does the same as `StoreHub/HubShell` with sockets.
final class HubProcess {
  /// A running effect.
  struct RunningEffect {
    let id: EffectID
    var due: Duration
    let effect: SimulatedEffect
  }

  /// The number of the process.
  let number: UInt64
  let program: SimulatedProgram
  let engine: SimulatedEngine
  let recorder: Recorder
  let truth: HubTruth
  /// Its log; not used in memory mode.
  let log: SimulatedLog
  var core: HubCore
  /// Tells the core something, after which the turn must be ended.
  @discardableResult
  func inform<Result>(_ body: (inout HubCore) -> Result) -> Result {
    hasNews = true
    return body(&core)
  }

  /// True if the core has received anything since the end of the last turn.
  var hasNews = true
  /// True if the timer of the next turn has fired.
  var continues = false
  /// The time at which the timer of the next turn fires; nil if it is not running.
  var nextTurnAt: Duration?
  /// The time at which the timer of the core's deadline fires; nil if it is not running.
  var deadlineAt: Duration?
  var links: [Link?] = []
  var effects: [RunningEffect] = []
  /// Checks the turns for the log; nil in memory mode.
  var audit: LogAudit?
  /// The time at which the process ends after its goodbye; nil while it serves.
  var endsBy: Duration?
  var isAlive = true
  /// The time at which it continues after a halt.
  var continuesAt = Duration.zero
  /// True if it reads no more and passes its connections to the next process when its log has stored everything.
  var isHandingOver = false
  /// True if guests may send it nothing.
  var suspendsGuests = false
  /// The actions of effects that wait for the log.
  var postponedEchoes: [UInt64] = []
  /// The ends of effects that outlive the hub, while they wait for the log.
  var postponedEnds: [UInt64] = []
  /// The events of its own that may add turns although the log is far behind.
  var causesWhileBehind = 0
  /// For each user, the time up to which its actions have used its rate, and the time of the last check.
  var paidUntil: [UInt32: Duration] = [:]
  var ratesCheckedAt = Duration.zero
  /// The size of the state with which the hub began, which may exceed the limit after an upgrade of the feature.
  let recoveredByteCount: Int
  /// Divides the time between the clients.
  var scheduler: TurnScheduler
  /// True if each connection is read in the steps of a contended turn.
  var limitsReads = false
  /// The time of the process, which is ahead of the simulation's by the work that it has done.
  var clock = Duration.zero
  /// The time for which it has worked.
  var busyTime = Duration.zero
  /// The connections that sent much in a contended turn and are not read again until their turn.
  var waitingReaders: [Link] = []

  init(
    _ number: UInt64, _ program: SimulatedProgram, _ engine: SimulatedEngine, _ recorder: Recorder, _ truth: HubTruth,
    _ log: SimulatedLog, _ scheduler: TurnScheduler, _ core: consuming HubCore
  ) {
    self.number = number
    (self.program, self.engine, self.recorder, self.truth) = (program, engine, recorder, truth)
    (self.log, self.scheduler) = (log, scheduler)
    self.core = core
    recoveredByteCount = engine.state().encoded().count
  }

  func link(_ id: ConnectionID) -> Link? {
    guard links.indices.contains(id.index), let link = links[id.index], link.id == id else { return nil }
    return link
  }

  func add(_ link: Link) {
    while links.count <= link.id.index { links.append(nil) }
    links[link.id.index] = link
  }

  /// True if nothing happens before an input arrives or an effect sends an action.
  var isAsleep: Bool { !hasNews && !continues && nextTurnAt == nil }

  /// Records an event that may add a turn although the log is far behind.
  func noteCause() { if core.isLogBehind { causesWhileBehind += 1 } }

  /// True if the hub is stopping.
  var isStopping: Bool { endsBy != nil || isHandingOver }

  /// Starts, cancels or ends effects.
  func execute(_ command: EffectCommand<AnyAction>, at now: Duration) -> SimulatedEffect? {
    switch command {
    case .start(let id, let operation, _):
      let effect = program.effect(operation.name)
      effects.append(RunningEffect(id: id, due: now + effect.delay, effect: effect))
      return effect
    case .cancel(let id): effects.removeAll { $0.id == id }
    case .cancelTasks: break
    }
    return nil
  }
}
