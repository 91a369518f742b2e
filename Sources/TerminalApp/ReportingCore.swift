/// The core of a store whose owner learns of each action that is sent.
package final class ReportingCore<State, Action>: StoreCore {
  private let base: any StoreCore<State, Action>
  private let onSend: (Action, _ before: State, StoreTask) -> Void

  /// Creates a core.
  ///
  /// - Parameter onSend: Called with an action that was sent, and with the state before it.
  package init(_ base: any StoreCore<State, Action>, onSend: @escaping (Action, _ before: State, StoreTask) -> Void) {
    (self.base, self.onSend) = (base, onSend)
  }

  package func read<Result>(_ body: (State) -> Result) -> Result { base.read(body) }

  package func send(_ action: Action) -> StoreTask {
    let before = base.state
    let task = base.send(action)
    onSend(action, before, task)
    return task
  }

  package var isAlive: Bool { base.isAlive }
  package var reducesHere: Bool { base.reducesHere }
  package var observers: StoreObservers { base.observers }
}
