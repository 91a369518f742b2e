public import CasePaths
public import Reducers

/// A change of one field of a state.
public typealias BindingAction = Reducers.BindingAction
/// An action with a case for the fields that a view changes.
public typealias BindableAction = Reducers.BindableAction
/// The name of `BindingAction` before 0.26.
public typealias FormAction = Reducers.BindingAction

extension Reducer {
  /// Applies the changes of fields before the reducer runs.
  public func binding(action toBindingAction: CasePath<Action, BindingAction<State>>) -> Reducer {
    Reducer { state, action, environment in
      toBindingAction.extract(from: action)?.set(&state)
      return run(&state, action, environment)
    }
  }

  /// Applies the changes of fields before the reducer runs: the name before 0.26.
  public func form(action toFormAction: CasePath<Action, FormAction<State>>) -> Reducer {
    binding(action: toFormAction)
  }
}

extension Reducer where Action: BindableAction & SendableMetatype, Action.State == State {
  /// Applies the changes of fields before the reducer runs.
  public func binding() -> Reducer {
    Reducer { state, action, environment in
      action.binding?.set(&state)
      return run(&state, action, environment)
    }
  }
}
