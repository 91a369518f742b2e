/// A store's state in this process: reduces actions and runs their effects.
final class RootCore<State, Action>: StoreCore {
  private var reducing: ReducerCore<State, Action>
  private var runner: EffectRunner<Action>?
  private let announcements = StoreObservers()
  /// Actions sent while another one is being reduced or announced.
  private var waiting: [(action: Action, cascade: UInt64)] = []
  private var isSending = false
  private var lastCascade: UInt64 = 0
  private var completions: [UInt64: StoreTask.Completion] = [:]

  init(initialState: State, reducer: some Reducer<State, Action>) {
    reducing = ReducerCore(initialState: initialState, reducer: reducer)
    runner = EffectRunner(
      deliver: { [weak self] action, effect in
        self?.turn { _ = $0.send(action, from: effect) }
      },
      finished: { [weak self] effect in self?.turn { $0.finish(effect) } })
  }

  var state: State { reducing.state }
  var observers: StoreObservers { announcements }

  func send(_ action: Action) -> StoreTask {
    lastCascade += 1
    let cascade = lastCascade
    waiting.append((action, cascade))
    guard !isSending else { return task(for: cascade) }
    turn { _ in }
    return reducing.isRunning(cascade: cascade) ? task(for: cascade) : StoreTask()
  }

  /// One outermost change: `change`, then what was sent meanwhile, then one announcement.
  private func turn(_ change: (inout ReducerCore<State, Action>) -> Void) {
    let before = reducing.actionCount
    isSending = true
    change(&reducing)
    var next = 0
    while next < waiting.count {
      let (action, cascade) = waiting[next]
      next += 1
      reducing.send(action, cascade: cascade)
    }
    let reduced = waiting
    waiting.removeAll(keepingCapacity: true)
    isSending = false
    if reducing.hasCommands { runner?.execute(reducing.takeCommands()) }
    // Cascades that nobody waits for are taken all the same, or the list of them would grow.
    if reducing.hasCommands || !completions.isEmpty { completeCascades(reduced.map(\.cascade)) }
    if reducing.actionCount != before { announcements.notify() }
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
