internal import Dependencies
internal import IssueReporting

/// Runs effects as tasks, for a store or a hub.
@MainActor
package final class EffectRunner<Action> {
  /// What running effects ask of their reducer's core.
  package struct Requests {
    let deliver: @MainActor (Action, EffectID) -> Void
    let finished: @MainActor (EffectID) -> Void
    let cancel: @MainActor (CancelID, EffectPath) -> Void
    let dismiss: @MainActor (EffectPath) -> Bool

    /// Requests to whoever owns a core.
    package init(
      deliver: @escaping @MainActor (Action, EffectID) -> Void, finished: @escaping @MainActor (EffectID) -> Void,
      cancel: @escaping @MainActor (CancelID, EffectPath) -> Void, dismiss: @escaping @MainActor (EffectPath) -> Bool
    ) {
      (self.deliver, self.finished, self.cancel, self.dismiss) = (deliver, finished, cancel, dismiss)
    }

    /// Requests that change a core in turns.
    ///
    /// - Parameter turn: Changes the core, then does what a change makes necessary; returns false when the core is
    ///   gone.
    package init<State>(
      _ turn: @escaping @MainActor ((inout ReducerCore<State, Action>) -> Bool) -> Bool
    ) {
      deliver = { action, effect in _ = turn { $0.send(action, from: effect) } }
      finished = { effect in
        _ = turn {
          $0.finish(effect)
          return true
        }
      }
      cancel = { id, path in
        _ = turn {
          $0.cancel(id, within: path)
          return true
        }
      }
      dismiss = { path in turn { $0.dismiss(path) } }
    }
  }

  private var tasks: [EffectID: Task<Void, Never>] = [:]
  /// Effects that were cancelled and whose work has not returned yet.
  private var ending: Set<EffectID> = []
  private let requests: Requests
  private let executor: (any TaskExecutor)?
  private lazy var host = Host(self)

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - executor: Where effects run; nil for the global pool.
  ///   - requests: What is called with the actions that effects send, and when they are over.
  package init(executor: (any TaskExecutor)? = nil, requests: Requests) {
    self.executor = executor
    self.requests = requests
  }

  isolated deinit {
    cancelAll()
  }

  /// How many effects run.
  package var count: Int { tasks.count }

  /// Starts or cancels effects, in order.
  package func execute(_ commands: [EffectCommand<Action>]) {
    for command in commands {
      switch command {
      case .start(let effect, let operation, let place): start(effect, operation, place)
      case .cancel(let effect):
        guard let task = tasks.removeValue(forKey: effect) else { continue }
        ending.insert(effect)
        task.cancel()
      case .cancelTasks(let request): host.cancellations.cancel(request)
      }
    }
  }

  /// Cancels everything that runs.
  package func cancelAll() {
    ending.formUnion(tasks.keys)
    for task in tasks.values { task.cancel() }
    tasks = [:]
  }

  private func start(_ effect: EffectID, _ operation: EffectOperation<Action>, _ place: EffectContext.Place) {
    // An effect may send with overridden dependencies, which must not apply to the reducer of its actions.
    let dependencies = withEscapedDependencies { $0 }
    let send = Send<Action> { [weak self] action in
      guard let self else { return }
      guard tasks[effect] != nil else { return reportLate(action, from: effect) }
      dependencies.restore { self.requests.deliver(action, effect) }
    }
    let context = EffectContext(place: place, host: host)
    let run: @Sendable () async -> Void = { [weak self] in
      await EffectContext.$current.withValue(context) { await operation.run(send) }
      await self?.ended(effect)
    }
    tasks[effect] = Task(
      name: operation.name, executorPreference: executor,
      priority: operation.priority.map(TaskPriority.init(rawValue:)), operation: run)
  }

  private func ended(_ effect: EffectID) {
    guard tasks.removeValue(forKey: effect) != nil else {
      ending.remove(effect)
      return
    }
    requests.finished(effect)
  }

  private func reportLate(_ action: Action, from effect: EffectID) {
    guard !ending.contains(effect) else { return }
    reportIssue(
      """
      An action was sent from a completed effect. …

        Action:
          \(DebugLabels.of(action))

      Avoid sending actions using the "send" argument from "Effect.run" after the effect has completed. This can happen \
      if you use the "send" argument in an unstructured context.

      To fix this, make sure that your "run" closure does not return until you're done calling "send".
      """)
  }

  /// The runner as effects see it; it does not keep the runner alive, or effects would keep their store.
  private final class Host: EffectHost {
    let cancellations = TaskCancellations()
    let throttles = Throttles()
    @MainActor private weak var runner: EffectRunner?

    @MainActor init(_ runner: EffectRunner) {
      self.runner = runner
      EffectHosts.add(self)
    }

    deinit {
      EffectHosts.remove(ObjectIdentifier(self))
    }

    func cancelEffects(_ id: CancelID, within path: EffectPath) { runner?.requests.cancel(id, path) }
    func dismiss(_ path: EffectPath) -> Bool { runner?.requests.dismiss(path) ?? false }
  }
}
