import ReplicatedArchitecture

extension Reducer {
  /// Ignores actions that arrive too late.
  ///
  /// Several users act on one state, each on the last version that they saw: one ticks a todo that another has just
  /// deleted. `forEach` and `ifLet` report such an action as an error of the program; here it is normal.
  ///
  /// - Parameter isLate: Returns true if the target of the action no longer exists.
  func passingOver(_ isLate: @escaping (_ state: State, _ action: Action) -> Bool) -> Reduce<State, Action> {
    let reducer = Reduce(self)
    return Reduce { state, action in
      isLate(state, action) ? .none : reducer.reduce(into: &state, action: action)
    }
  }
}
