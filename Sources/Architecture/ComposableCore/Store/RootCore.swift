internal import Dependencies
package import FeatureCore
internal import IssueReporting

/// A root store's state: reduces actions and runs their effects in this process.
@MainActor
package final class RootCore<State, Action>: StoreCore {
  private var reducing: ReducerCore<State, Action>
  private var runner: EffectRunner<Action>?
  private let announcements = StoreObservers()
  private let identity: RootIdentity<State>
  /// True if the reducer may refuse actions.
  private let mayRefuse: Bool
  /// The core's queue, which also takes the actions that a reducer without refusals sends to its own store.
  private let queue: ActionQueue<Action>
  /// The cascades of these actions.
  private var waiting: [UInt64] = []
  /// The refusals of these actions.
  private var refusals: [UInt64: Refusal] = [:]
  private var postponed: [PostponedChange] = []
  /// True if `waiting` or `postponed` is not empty. A flag, because access to a generic array looks up its type.
  private var isAnyWaiting = false
  private var isSending = false
  private var lastCascade: UInt64 = 0
  private var completions: [UInt64: StoreTask.Completion] = [:]

  /// A change that is requested while an action is being reduced.
  private struct PostponedChange {
    /// The cascade of an action that the reducer has sent to its own store; nil for a change of an effect, to whose
    /// stream the reducer has sent.
    let cascade: UInt64?
    let change: (inout ReducerCore<State, Action>) -> Bool
  }

  /// Creates a core.
  ///
  /// - Parameter executor: The executor of the effects; nil for the global pool.
  package init(
    initialState: State, reducer: CompiledReducer<State, Action>, executor: (any TaskExecutor)? = nil
  ) {
    reducing = ReducerCore(initialState: initialState, reducer: Logger.shared.logging(reducer))
    mayRefuse = reducing.mayRefuse
    queue = reducing.queue
    identity = RootIdentity(initialState)
    runner = EffectRunner(
      executor: { _ in executor }, subscribesAtOnce: true,
      requests: EffectRunner.Requests { [weak self] in self?.change($0) ?? false })
  }

  package var isAlive: Bool { true }
  package var reducesHere: Bool { true }
  package var observers: StoreObservers { announcements }

  /// The number of running effects.
  package var runningEffectCount: Int { reducing.runningEffectCount }

  /// The number of intervals of throttled effects.
  package var throttleCount: Int { runner?.throttleCount ?? 0 }

  /// The number of the latest send.
  package var lastSend: UInt64 { lastCascade }

  /// The refusal of the last action that was sent; nil if it was not refused.
  package private(set) var lastRefusal: Refusal?

  /// Returns true if effects of a send are running.
  package func isRunning(send: UInt64) -> Bool { reducing.isRunning(cascade: send) }

  /// The send that started the effects with an id; nil if none runs.
  package func send(ofEffectsWithID id: CancelID) -> UInt64? { reducing.cascade(of: id) }

  /// Cancels all effects.
  package func cancelEffects() {
    turn { $0.cancelAll() }
  }

  package func read<Result>(_ body: (State) -> Result) -> Result {
    if isSending { stopReadWhileReducing() }
    if !identity.isObserved { identity.begin(with: reducing.state) }
    identity.access()
    return body(reducing.state)
  }

  // The reducer changes the state in place. To keep the state before, each action would have to copy it, and then also
  // the arrays and dictionaries that it changes.
  @inline(never)
  private func stopReadWhileReducing() -> Never {
    fatalError(
      """
      The state of \(Logger.storeName(State.self, Action.self)) was read while its reducer was running. Read it before, \
      or send an action.
      """)
  }

  // The code that runs for every send looks up no types. Closures around the action, tuples with it and calls of
  // `ReducerCore`'s methods would do that; they are elsewhere or inlined.
  package func send(_ action: Action) -> StoreTask {
    lastCascade += 1
    let cascade = lastCascade
    guard !isSending else { return wait(action, cascade) }
    guard !mayRefuse else { return attempt(action, cascade) }
    isSending = true
    let turn = Reducing.begin()
    let hasCommands = reducing.sendNotingCommands(action, cascade: cascade)
    let hasSettled = end(turn, hasReduced: true, hasCommands: hasCommands)
    return hasSettled && reducing.isRunning(cascade: cascade) ? task(for: cascade) : StoreTask()
  }

  /// Sends an action that a reducer may refuse; the task then fails with the refusal.
  @inline(never)
  private func attempt(_ action: Action, _ cascade: UInt64) -> StoreTask {
    var refusal: Refusal?
    lastRefusal = nil
    turn {
      if case .failure(let reason) = $0.attempt({ $0.send(action, cascade: cascade) }) { refusal = reason }
    }
    guard let refusal else { return reducing.isRunning(cascade: cascade) ? task(for: cascade) : StoreTask() }
    lastRefusal = refusal
    let completion = StoreTask.Completion()
    completion.complete(.failure(refusal))
    return StoreTask(completion: completion, onCancel: nil)
  }

  /// Changes the state without an action, and notifies the observers.
  package func update(_ change: @escaping (inout State) -> Void) {
    let isPostponed = postpone {
      $0.update(change)
      return true
    }
    guard !isPostponed else { return }
    isSending = true
    let turn = Reducing.begin()
    reducing.update(change)
    end(turn, hasReduced: true, hasCommands: reducing.hasCommands)
  }

  @inline(never)
  private func wait(_ action: Action, _ cascade: UInt64) -> StoreTask {
    if mayRefuse {
      // In an attempt of its own, so that its refusal takes back no other action.
      let send = PostponedChange(cascade: cascade) {
        $0.send(action, cascade: cascade)
        return true
      }
      postponed.append(send)
    } else {
      queue.append(action, cascade: cascade)
    }
    waiting.append(cascade)
    isAnyWaiting = true
    return task(for: cascade)
  }

  /// Applies a change in a turn of its own, or at the end of the running turn; then the result is true.
  @discardableResult
  private func change(_ change: @escaping (inout ReducerCore<State, Action>) -> Bool) -> Bool {
    if postpone(change) { return true }
    var result = false
    turn { result = attempt(change, on: &$0) ?? true }
    return result
  }

  /// Makes a change of an effect; nil if it is refused. No sender waits for that, so it is an issue.
  private func attempt<Result>(
    _ change: (inout ReducerCore<State, Action>) -> Result, on reducing: inout ReducerCore<State, Action>
  ) -> Result? {
    switch reducing.attempt(change) {
    case .success(let result): return result
    case .failure(let refusal):
      reportIssue(
        """
        An action that an effect has sent to \(Logger.storeName(State.self, Action.self)) was refused: \(refusal).
        """)
      return nil
    }
  }

  /// Postpones a change until the end of the turn; returns false outside turns.
  private func postpone(_ change: @escaping (inout ReducerCore<State, Action>) -> Bool) -> Bool {
    guard isSending else { return false }
    postponed.append(PostponedChange(cascade: nil, change: change))
    isAnyWaiting = true
    return true
  }

  /// One outermost change: `change`, then the actions sent meanwhile, then one notification.
  private func turn(_ change: (inout ReducerCore<State, Action>) -> Void) {
    isSending = true
    let turn = Reducing.begin()
    let before = reducing.actionCount
    change(&reducing)
    end(turn, hasReduced: reducing.actionCount != before, hasCommands: reducing.hasCommands)
  }

  /// Ends a turn; returns true if effects were started or cancelled, or sends have ended.
  @discardableResult
  private func end(_ turn: UnsafeMutablePointer<Reducing.Turn>, hasReduced: Bool, hasCommands: Bool) -> Bool {
    let hasWaited = isAnyWaiting
    let reduced = hasWaited ? reduceWaiting() : []
    let changes = Reducing.end(turn)
    isSending = false
    let mustSettle = hasCommands || hasWaited
    if mustSettle { settle(reduced) }
    // Observers of other objects, such as shared values, wait for the turn as well.
    let isAwaited = Reducing.isAwaited(turn)
    guard hasReduced || hasWaited || isAwaited else { return mustSettle }
    if identity.isObserved || !changes.isEmpty || isAwaited {
      Reducing.notify {
        identity.update(reducing.state)
        for field in changes { field.changed() }
      }
    }
    if Reducing.isNested(turn) { announceLater() } else { announcements.notify() }
    return mustSettle
  }

  /// Notifies the observers after the turn of the other store whose reducer has sent to this one. Then they can read
  /// both.
  @inline(never)
  private func announceLater() {
    let announcements = announcements
    _ = Reducing.afterwards(announcements) { announcements.notify() }
  }

  /// Reduces the waiting actions and applies the postponed changes; returns the cascades of the waiting actions.
  @inline(never)
  private func reduceWaiting() -> [UInt64] {
    repeat {
      while !postponed.isEmpty { make(postponed.removeFirst()) }
      reducing.reduceQueue()
    } while !postponed.isEmpty
    defer { (waiting, isAnyWaiting) = ([], false) }
    return waiting
  }

  private func make(_ postponed: PostponedChange) {
    guard let cascade = postponed.cascade else { return _ = attempt(postponed.change, on: &reducing) }
    if case .failure(let refusal) = reducing.attempt(postponed.change) { refusals[cascade] = refusal }
  }

  /// Starts and cancels effects, and completes the cascades that have ended.
  @inline(never)
  private func settle(_ reduced: [UInt64]) {
    if reducing.hasCommands { runner?.execute(reducing.takeCommands()) }
    // Also takes cascades that nothing waits for; otherwise their list would grow.
    if reducing.hasCommands || !reduced.isEmpty { completeCascades(reduced) }
  }

  private func task(for cascade: UInt64) -> StoreTask {
    let completion = completions[cascade] ?? StoreTask.Completion()
    completions[cascade] = completion
    return StoreTask(completion: completion) { [weak self] in
      self?.change {
        $0.cancel(cascade: cascade)
        return true
      }
    }
  }

  private func completeCascades(_ reduced: [UInt64]) {
    for cascade in reducing.takeFinishedCascades() + reduced where !reducing.isRunning(cascade: cascade) {
      let refusal = refusals.removeValue(forKey: cascade)
      completions.removeValue(forKey: cascade)?.complete(refusal.map { .failure($0) } ?? .success(()))
    }
  }

  isolated deinit {
    for completion in completions.values { completion.complete(.success(())) }
  }
}
