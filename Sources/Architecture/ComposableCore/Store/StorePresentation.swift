public import CasePaths
public import FeatureCore

extension Store {
  /// The store of a presented child feature; nil while it is not presented.
  ///
  /// ```swift
  /// if let store = store.scope(state: \.$child, action: \.child) { … }
  /// ```
  public func scope<ChildState, ChildAction>(
    state toPresentation: KeyPath<State, PresentationState<ChildState>>,
    action toChildAction: CaseKeyPath<Action, PresentationAction<ChildAction>>
  ) -> Store<ChildState, ChildAction>? {
    scope(state: toPresentation.appending(path: \.wrappedValue), action: toChildAction)
  }

  /// The presented one of several child features, to continue with a case:
  ///
  /// ```swift
  /// if let store = store.scope(state: \.$destination, action: \.destination).edit { … }
  /// ```
  public func scope<ChildState: CaseReducerState, ChildAction>(
    state toPresentation: KeyPath<State, PresentationState<ChildState>>,
    action toChildAction: CaseKeyPath<Action, PresentationAction<ChildAction>>
  ) -> StorePresentation<ChildState.StateReducer>
  where ChildState.StateReducer: CaseReducer, ChildState.StateReducer.Action == ChildAction {
    StorePresentation(
      store: scope(state: toPresentation.appending(path: \.wrappedValue), action: toChildAction))
  }
}

/// The presented one of the features of an enum reducer, or none.
///
/// Its members are the cases: the store of a feature, or the value of a case without one, such as an alert's state; nil
/// if another case or nothing is presented.
@MainActor
@dynamicMemberLookup
public struct StorePresentation<Destination: CaseReducer> {
  /// The store of the enum; nil while nothing is presented.
  public let store: Store<Destination.State, Destination.Action>?

  /// The store or the value of a case; nil if another case or nothing is presented.
  public subscript<Value>(dynamicMember keyPath: CaseKeyPath<Destination.CaseScope, Value>) -> Value?
  where Destination.CaseScope: CasePathable {
    store.flatMap { Destination.scope($0)[case: keyPath] }
  }
}
