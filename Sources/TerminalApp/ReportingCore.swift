/// The core of a store whose owner learns of each action that is sent.
final class ReportingCore<State, Action>: StoreCore {
  private let base: any StoreCore<State, Action>
  private let onSend: (StoreTask) -> Void

  init(_ base: any StoreCore<State, Action>, onSend: @escaping (StoreTask) -> Void) {
    (self.base, self.onSend) = (base, onSend)
  }

  func read<Result>(_ body: (State) -> Result) -> Result { base.read(body) }

  func send(_ action: Action) -> StoreTask {
    let task = base.send(action)
    onSend(task)
    return task
  }

  var isAlive: Bool { base.isAlive }
  var reducesHere: Bool { base.reducesHere }
  var observers: StoreObservers { base.observers }
}
