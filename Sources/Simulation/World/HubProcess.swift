import HubCore
import Reducers
import TurnLog
import Wire

/// A hub's process: the core and the virtual shell around it, which does what `StoreHub/HubShell` does with sockets.
final class HubProcess {
  /// An effect that runs.
  struct RunningEffect {
    let id: EffectID
    var due: Duration
    let effect: SimulatedEffect
  }

  let program: SimulatedProgram
  let engine: SimulatedEngine
  let recorder: Recorder
  let truth: HubTruth
  var core: HubCore
  var links: [Link?] = []
  var effects: [RunningEffect] = []
  /// Checks what goes to the log; nil in memory mode.
  var audit: LogAudit?
  /// When the process ends, after it has said goodbye; nil while it serves.
  var endsBy: Duration?
  var isAlive = true
  /// Turns that the hub has handed to its log while the log was far behind.
  var turnsWhileBehind = 0

  init(
    _ program: SimulatedProgram, _ engine: SimulatedEngine, _ recorder: Recorder, _ truth: HubTruth,
    _ core: consuming HubCore
  ) {
    (self.program, self.engine, self.recorder, self.truth) = (program, engine, recorder, truth)
    self.core = core
  }

  func link(_ id: ConnectionID) -> Link? {
    guard links.indices.contains(id.index), let link = links[id.index], link.id == id else { return nil }
    return link
  }

  func add(_ link: Link) {
    while links.count <= link.id.index { links.append(nil) }
    links[link.id.index] = link
  }

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
