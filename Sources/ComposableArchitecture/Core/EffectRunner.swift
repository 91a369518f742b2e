/// Runs effects as tasks, for a store or a hub.
@MainActor
package final class EffectRunner<Action> {
  private var tasks: [EffectID: Task<Void, Never>] = [:]
  private let deliver: @MainActor (Action, EffectID) -> Void
  private let finished: @MainActor (EffectID) -> Void

  /// Creates a runner.
  ///
  /// - Parameters:
  ///   - deliver: Called with each action that an effect sends.
  ///   - finished: Called once when an effect is over and was not cancelled.
  package init(
    deliver: @escaping @MainActor (Action, EffectID) -> Void, finished: @escaping @MainActor (EffectID) -> Void
  ) {
    self.deliver = deliver
    self.finished = finished
  }

  isolated deinit {
    cancelAll()
  }

  /// Starts or cancels effects, in order.
  package func execute(_ commands: [EffectCommand<Action>]) {
    for command in commands {
      switch command {
      case .start(let effect, let operation): start(effect, operation)
      case .cancel(let effect): tasks.removeValue(forKey: effect)?.cancel()
      }
    }
  }

  /// Cancels everything that runs.
  package func cancelAll() {
    for task in tasks.values { task.cancel() }
    tasks = [:]
  }

  private func start(_ effect: EffectID, _ operation: EffectOperation<Action>) {
    let send = Send<Action> { [weak self] action in
      guard let self, tasks[effect] != nil else { return }
      deliver(action, effect)
    }
    tasks[effect] = Task(name: operation.name, priority: operation.priority) { [weak self] in
      await operation.run(send)
      guard let self, tasks.removeValue(forKey: effect) != nil else { return }
      finished(effect)
    }
  }
}
