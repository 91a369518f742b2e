import ComposableArchitecture

/// The states of a hub by revision: those in which turns have ended, and with a `Recorded` reducer the others too.
///
/// A view that is attached within a turn may have a revision in the middle of it.
final class StateRecord<State: Equatable> {
  private(set) var states: [UInt64: State] = [:]
  private var revision: UInt64 = 0

  /// Begins with the state at revision 0.
  func begin(_ state: State) { (states, revision) = ([0: state], 0) }

  /// Notes the state after an action.
  fileprivate func note(_ state: State) {
    revision += 1
    states[revision] = state
  }

  /// Notes the state in which a turn has ended; returns false if another one was noted for it.
  func endTurn(_ state: State, at revision: UInt64) -> Bool {
    let noted = states.updateValue(state, forKey: revision)
    // Without a recorded reducer only the ends of turns are noted.
    let isRecorded = self.revision > 0
    self.revision = isRecorded ? revision : 0
    return noted.map { $0 == state } ?? !isRecorded
  }
}

/// A reducer whose states are noted after each action. It refuses no action, and none is rolled back.
struct Recorded<Base: Reducer>: Reducer where Base.State: Equatable {
  let base: Base
  let record: StateRecord<Base.State>

  var body: some Reducer<Base.State, Base.Action> {
    base
    Reduce { state, _ in
      record.note(state)
      return .none
    }
  }
}
