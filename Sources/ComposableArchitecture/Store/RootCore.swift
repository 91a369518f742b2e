internal import Dependencies

/// A store's state in this process: reduces actions and runs their effects.
final class RootCore<State, Action>: StoreCore {
  private var reducing: ReducerCore<State, Action>
  private var runner: EffectRunner<Action>?
  private let announcements = StoreObservers()
  private let identity: RootIdentity<State>
  /// Actions sent while another one is being reduced or announced.
  private var waiting: [(action: Action, cascade: UInt64)] = []
  private var isSending = false
  private var lastCascade: UInt64 = 0
  private var completions: [UInt64: StoreTask.Completion] = [:]

  init(
    initialState: State, reducer: CompiledReducer<State, Action>, executor: (any TaskExecutor)? = nil
  ) {
    reducing = ReducerCore(initialState: initialState, reducer: reducer)
    identity = RootIdentity()
    runner = EffectRunner(
      executor: executor,
      requests: EffectRunner.Requests { [weak self] change in
        var result = false
        self?.turn { result = change(&$0) }
        return result
      })
  }

  var isAlive: Bool { true }
  var observers: StoreObservers { announcements }

  /// How many effects run.
  var runningEffectCount: Int { reducing.runningEffectCount }

  func read<Result>(_ body: (State) -> Result) -> Result {
    identity.access(reducing.state)
    return body(reducing.state)
  }

  func send(_ action: Action) -> StoreTask {
    lastCascade += 1
    let cascade = lastCascade
    guard !isSending else {
      waiting.append((action, cascade))
      return task(for: cascade)
    }
    turn { $0.send(action, cascade: cascade) }
    return reducing.isRunning(cascade: cascade) ? task(for: cascade) : StoreTask()
  }

  /// One outermost change: `change`, then what was sent meanwhile, then one announcement.
  private func turn(_ change: (inout ReducerCore<State, Action>) -> Void) {
    let before = reducing.actionCount
    isSending = true
    Reducing.begin()
    change(&reducing)
    var reduced: [UInt64] = []
    var next = 0
    while next < waiting.count {
      let (action, cascade) = waiting[next]
      next += 1
      reduced.append(cascade)
      reducing.send(action, cascade: cascade)
    }
    if next > 0 { waiting.removeAll(keepingCapacity: true) }
    let changes = Reducing.end()
    isSending = false
    if reducing.hasCommands { runner?.execute(reducing.takeCommands()) }
    // Cascades that nobody waits for are taken all the same, or the list of them would grow.
    if reducing.hasCommands || !reduced.isEmpty { completeCascades(reduced) }
    guard reducing.actionCount != before else { return }
    let replaced = identity.update(reducing.state)
    if replaced != nil || !changes.isEmpty {
      Reducing.tell {
        replaced?.changed()
        for field in changes { field.changed() }
      }
    } else {
      Reducing.runAfterwards()
    }
    announcements.notify()
  }

  private func task(for cascade: UInt64) -> StoreTask {
    let completion = completions[cascade] ?? StoreTask.Completion()
    completions[cascade] = completion
    return StoreTask(completion: completion) { [weak self] in
      self?.turn { $0.cancel(cascade: cascade) }
    }
  }

  private func completeCascades(_ reduced: [UInt64]) {
    for cascade in reducing.takeFinishedCascades() + reduced where !reducing.isRunning(cascade: cascade) {
      completions.removeValue(forKey: cascade)?.complete(.success(()))
    }
  }

  isolated deinit {
    for completion in completions.values { completion.complete(.success(())) }
  }
}
