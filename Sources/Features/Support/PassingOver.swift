import ReplicatedArchitecture

extension Reducer {
  /// Leaves out actions that came too late to mean anything.
  ///
  /// Several people act on one state, each on what was last seen of it: somebody ticks a todo that somebody else has just
  /// deleted. `forEach` and `ifLet` report such an action as a mistake of the program; here it is everyday life.
  ///
  /// - Parameter isLate: Whether what the action is for is gone.
  func passingOver(_ isLate: @escaping (_ state: State, _ action: Action) -> Bool) -> Reduce<State, Action> {
    let reducer = Reduce(self)
    return Reduce { state, action in
      isLate(state, action) ? .none : reducer.reduce(into: &state, action: action)
    }
  }
}
