internal import CombineSchedulers
internal import Dependencies
internal import IssueReporting
internal import Synchronization

/// Runs effects as tasks, for a store or a hub.
@MainActor
package final class EffectRunner<Action> {
  /// The requests of running effects to their reducer's core.
  package struct Requests {
    /// Delivers an action of an effect; nil for an effect that has ended.
    let deliver: @MainActor (Action, EffectID?) -> Void
    let finished: @MainActor (EffectID) -> Void
    let cancel: @MainActor (CancelID, EffectPath) -> Void
    let dismiss: @MainActor (EffectPath) -> Bool

    /// Requests to the owner of a core.
    package init(
      deliver: @escaping @MainActor (Action, EffectID?) -> Void, finished: @escaping @MainActor (EffectID) -> Void,
      cancel: @escaping @MainActor (CancelID, EffectPath) -> Void, dismiss: @escaping @MainActor (EffectPath) -> Bool
    ) {
      (self.deliver, self.finished, self.cancel, self.dismiss) = (deliver, finished, cancel, dismiss)
    }

    /// Requests that change a core in turns.
    ///
    /// - Parameter turn: Changes the core, then handles the consequences; returns false if the core no longer exists.
    package init<State>(
      _ turn: @escaping @MainActor (@escaping (inout ReducerCore<State, Action>) -> Bool) -> Bool
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

  private var tasks: [EffectID: Running] = [:]
  /// The effects that are subscriptions; the value is nil while its subscription begins.
  private var subscriptions: [EffectID: AnyCancellable?] = [:]
  /// Commands that are queued because the subscription of an earlier one sent an action synchronously.
  private var waiting: [EffectCommand<Action>] = []
  private var isExecuting = false
  /// Effects that were cancelled while their start was queued.
  private var skipped: Set<EffectID> = []
  /// True once all effects were cancelled: none begins any more, and those that have ended deliver no late actions.
  private var isOver = false
  private let requests: Requests
  private let executor: (EffectOperation<Action>) -> (any TaskExecutor)?
  private let callAtOnce: @Sendable (@escaping @MainActor () -> Void) -> Bool
  private let subscribesAtOnce: Bool
  private let fencingToken: UInt64?
  private lazy var host = Host(self, fencingToken)

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - executor: Returns the executor of an effect; nil for the global pool.
  ///   - callAtOnce: Calls a function if the calling task is on the thread of the main actor and may enter it at once;
  ///     returns false otherwise.
  ///   - subscribesAtOnce: True if subscriptions begin, and may send actions, within `execute`; otherwise they begin in
  ///     separate tasks, for an owner that cannot take actions while it executes commands.
  ///   - fencingToken: The term in which the hub leads its cluster, for the effects.
  ///   - requests: The functions to call with the actions that effects send, and when effects end.
  package init(
    executor: @escaping (EffectOperation<Action>) -> (any TaskExecutor)? = { _ in nil },
    callAtOnce: @escaping @Sendable (@escaping @MainActor () -> Void) -> Bool = { _ in false },
    subscribesAtOnce: Bool = false, fencingToken: UInt64? = nil, requests: Requests
  ) {
    self.callAtOnce = callAtOnce
    self.executor = executor
    self.subscribesAtOnce = subscribesAtOnce
    self.fencingToken = fencingToken
    self.requests = requests
  }

  isolated deinit {
    cancelAll()
  }

  /// The number of running effects.
  package var count: Int { tasks.count + subscriptions.count }

  /// The number of intervals of throttled effects.
  package var throttleCount: Int { host.throttles.count }

  /// Starts or cancels effects, in order.
  package func execute(_ commands: [EffectCommand<Action>]) {
    guard !isExecuting else { return wait(commands) }
    isExecuting = true
    defer { isExecuting = false }
    for command in commands { execute(command) }
    // A loop, not a recursion: any number of subscriptions may trigger one another.
    while !waiting.isEmpty { execute(waiting.removeFirst()) }
  }

  private func execute(_ command: EffectCommand<Action>) {
    switch command {
    case .start(let effect, let operation, let place):
      guard skipped.remove(effect) == nil, !isOver else { return }
      start(effect, operation, place)
    case .cancel(let effect): cancel(effect)
    case .cancelTasks(let request): host.cancellations.cancel(request)
    }
  }

  /// Cancels immediately, and queues starts until the earlier commands are done. An effect that is cancelled before its
  /// start does not begin.
  private func wait(_ commands: [EffectCommand<Action>]) {
    for command in commands {
      switch command {
      case .start: waiting.append(command)
      case .cancel(let effect): if !cancel(effect) { skipped.insert(effect) }
      case .cancelTasks: execute(command)
      }
    }
  }

  @discardableResult
  private func cancel(_ effect: EffectID) -> Bool {
    if let subscription = subscriptions.removeValue(forKey: effect) {
      subscription?.cancel()
      return true
    }
    guard let running = tasks.removeValue(forKey: effect) else { return false }
    running.cancel()
    return true
  }

  /// Cancels all effects, at the end of their owner. Effects whose start follows do not begin.
  package func cancelAll() {
    isOver = true
    let ended = subscriptions.values
    subscriptions = [:]
    for subscription in ended { subscription?.cancel() }
    let running = tasks.values
    tasks = [:]
    for effect in running { effect.cancel() }
  }

  private func start(_ effect: EffectID, _ operation: EffectOperation<Action>, _ place: EffectContext.Place) {
    // An effect may send with overridden dependencies; they must not apply when its actions are reduced.
    let dependencies = withEscapedDependencies { $0 }
    let fate = Fate()
    let (reportsAt, site) = (IssueLocation.ofContext, operation.site)
    let send = Send<Action> { [weak self] action in
      guard let self else { return }
      if tasks[effect] != nil {
        dependencies.restore { self.requests.deliver(action, effect) }
      } else if fate.now == .ended, !isOver {
        Self.reportLate(action, at: reportsAt ?? site?.location)
        dependencies.restore { self.requests.deliver(action, nil) }
      }
    }
    let context = EffectContext(place: place, host: host)
    if subscribesAtOnce, let subscription = operation.subscription {
      return start(effect, subscription, context, dependencies)
    }
    let run: @Sendable () async -> Void = { [weak self, callAtOnce] in
      await EffectContext.$current.withValue(context) { await operation.run(send) }
      // For one that was cancelled nothing is left to do, so it does not enter the main actor.
      guard fate.now == .running, !callAtOnce({ [weak self] in self?.ended(effect, fate) }) else { return }
      await self?.ended(effect, fate)
    }
    let task = Task(
      name: operation.name, executorPreference: executor(operation),
      priority: operation.priority.map(TaskPriority.init(rawValue:)), operation: run)
    tasks[effect] = Running(task: task, fate: fate)
  }

  private func start(
    _ effect: EffectID, _ subscription: EffectSubscription<Action>, _ context: EffectContext,
    _ dependencies: DependencyValues.Continuation
  ) {
    subscriptions[effect] = .some(nil)
    let reportsAt = IssueLocation.ofContext
    let cancellable = EffectContext.$current.withValue(context) {
      subscription.begin(
        { [weak self] action in
          guard let self, subscriptions[effect] != nil else { return }
          dependencies.restore { self.requests.deliver(action, effect) }
        },
        { [weak self] error in
          guard let self, subscriptions.removeValue(forKey: effect) != nil else { return }
          if let error { EffectSubscription<Action>.report(error, at: reportsAt) }
          requests.finished(effect)
        })
    }
    // Its own synchronous actions may have ended or cancelled it.
    if subscriptions[effect] == nil { cancellable.cancel() } else { subscriptions[effect] = cancellable }
  }

  private func ended(_ effect: EffectID, _ fate: Fate) {
    // Otherwise it was cancelled.
    guard tasks.removeValue(forKey: effect) != nil else { return }
    fate.set(.ended)
    requests.finished(effect)
  }

  /// The task of an effect.
  private struct Running {
    let task: Task<Void, Never>
    let fate: Fate

    func cancel() {
      fate.set(.cancelled)
      task.cancel()
    }
  }

  /// What has become of an effect, for its task and for a `send` that outlives it. Set on the main actor, read by the
  /// task.
  private nonisolated final class Fate: Sendable {
    enum State: UInt8 {
      case running
      case ended
      case cancelled
    }

    private let state = Atomic(State.running.rawValue)

    var now: State { State(rawValue: state.load(ordering: .acquiring)) ?? .running }

    func set(_ new: State) { state.store(new.rawValue, ordering: .releasing) }
  }

  /// Reports an action that arrives after the end of its effect.
  ///
  /// - Parameter location: The test's line that made the feature act, otherwise the effect's line. The task that sends
  ///   does not know them.
  private static func reportLate(_ action: Action, at location: IssueLocation?) {
    let location = location ?? IssueLocation()
    reportIssue(
      """
      An action was sent from a completed effect. …

        Action:
          \(DebugLabels.of(action))

      Avoid sending actions using the "send" argument from "Effect.run" after the effect has completed. This can happen \
      if you use the "send" argument in an unstructured context.

      To fix this, make sure that your "run" closure does not return until you're done calling "send".
      """, fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column)
  }

  /// The effects' view of the runner. It does not retain the runner; otherwise effects would retain their store.
  private final class Host: EffectHost {
    let cancellations = TaskCancellations()
    let throttles = Throttles()
    let fencingToken: UInt64?
    @MainActor private weak var runner: EffectRunner?

    @MainActor init(_ runner: EffectRunner, _ fencingToken: UInt64?) {
      (self.runner, self.fencingToken) = (runner, fencingToken)
      EffectHosts.add(self)
    }

    deinit {
      EffectHosts.remove(ObjectIdentifier(self))
    }

    // What tasks do because all are cancelled does not change the core: a stopping hub would take effects that are to be
    // restarted for ended.
    func cancelEffects(_ id: CancelID, within path: EffectPath) {
      guard let runner, !runner.isOver else { return }
      runner.requests.cancel(id, path)
    }

    func dismiss(_ path: EffectPath) -> Bool {
      guard let runner, !runner.isOver else { return false }
      return runner.requests.dismiss(path)
    }
  }
}
