public import FeatureCore

/// An enum reducer: one of several features at a time. `@Reducer` on an enum generates the conformance.
public protocol CaseReducer<State, Action>: _CaseReducerCore where Body: Reducer<State, Action> {
  // Repeated, because the compiler infers a type from the nearest protocol that declares it.
  /// The type of ``body``.
  associatedtype Body
  /// The stores of the cases, to switch over.
  associatedtype CaseScope

  /// The reducers of all cases, each on its case.
  @ReducerBuilder<State, Action> static var body: Body { get }

  /// The store of the state's current case.
  @MainActor static func scope(_ store: Store<State, Action>) -> CaseScope
}

extension Store where State: CaseReducerState, State.StateReducer: CaseReducer, State.StateReducer.Action == Action {
  /// The store of the state's current case, to switch over:
  ///
  /// ```swift
  /// switch store.case {
  /// case .edit(let store): …
  /// case .alert(let state): …
  /// }
  /// ```
  public var `case`: State.StateReducer.CaseScope { State.StateReducer.scope(self) }
}
