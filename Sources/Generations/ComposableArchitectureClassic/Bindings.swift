public import EarlierForms
public import FeatureCore

/// The name of `BindingAction` before 0.26.
public typealias FormAction = FeatureCore.BindingAction

/// A field that a view may change. This was the name of `BindingState` before 0.50.
public typealias BindableState = FeatureCore.BindingState

extension ViewStore {
  /// Returns a binding to a field; setting it sends an action. This is the form before 0.26.
  public func binding<LocalState: Equatable & Sendable>(
    keyPath: any WritableKeyPath<State, LocalState> & Sendable,
    send action: @escaping (BindingAction<State>) -> Action
  ) -> Binding<LocalState> {
    binding(get: { $0[keyPath: keyPath] }, send: { action(.set(keyPath, $0)) })
  }
}

extension ViewStore where Action: BindableAction, Action.State == State {
  /// Returns a binding to a `@BindableState` field.
  public func binding<LocalState: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<State, BindableState<LocalState>> & Sendable
  ) -> Binding<LocalState> {
    binding(get: { $0[keyPath: keyPath].wrappedValue }, send: { .set(keyPath, $0) })
  }

  /// A binding to a `@BindableState` field: `viewStore.$name`.
  public subscript<LocalState: Equatable & Sendable>(
    dynamicMember keyPath: any WritableKeyPath<State, BindableState<LocalState>> & Sendable
  ) -> Binding<LocalState> {
    binding(keyPath)
  }
}

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
