public import CasePaths
public import FeatureCore
public import IdentifiedCollections

// The forms of `scope` since 1.26, without the label `state`.

extension Store {
  /// The store of a child feature: `store.scope(\.counter, action: \.counter)`.
  public func scope<ChildState, ChildAction>(
    _ toChildState: KeyPath<State, ChildState>, action toChildAction: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    scope(state: toChildState, action: toChildAction)
  }

  /// The store of a child feature whose state may be absent; nil while it is absent.
  public func scope<ChildState, ChildAction>(
    _ toChildState: KeyPath<State, ChildState?>, action toChildAction: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction>? {
    scope(state: toChildState, action: toChildAction)
  }

  /// The store of a presented child feature; nil while it is not presented.
  public func scope<ChildState, ChildAction>(
    _ toChildState: KeyPath<State, ChildState?>,
    action toChildAction: CaseKeyPath<Action, PresentationAction<ChildAction>>
  ) -> Store<ChildState, ChildAction>? {
    scope(state: toChildState, action: toChildAction)
  }

  /// The store of a presented child feature; nil while it is not presented.
  public func scope<ChildState, ChildAction>(
    _ toPresentation: KeyPath<State, PresentationState<ChildState>>,
    action toChildAction: CaseKeyPath<Action, PresentationAction<ChildAction>>
  ) -> Store<ChildState, ChildAction>? {
    scope(state: toPresentation, action: toChildAction)
  }

  /// The presented one of several child features: `store.scope(\.$destination, action: \.destination).edit`.
  public func scope<ChildState: CaseReducerState, ChildAction>(
    _ toPresentation: KeyPath<State, PresentationState<ChildState>>,
    action toChildAction: CaseKeyPath<Action, PresentationAction<ChildAction>>
  ) -> StorePresentation<ChildState.StateReducer>
  where ChildState.StateReducer: CaseReducer, ChildState.StateReducer.Action == ChildAction {
    scope(state: toPresentation, action: toChildAction)
  }

  /// The stores of a collection's elements, created as they are accessed.
  public func scope<ID: Hashable & Sendable, ElementState, ElementAction>(
    _ toElements: KeyPath<State, IdentifiedArray<ID, ElementState>>,
    action toElementAction: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>
  ) -> StoreCollection<ID, ElementState, ElementAction> {
    scope(state: toElements, action: toElementAction)
  }

  /// The stores of a stack's elements, created as they are accessed.
  public func scope<ElementState, ElementAction>(
    _ toStack: KeyPath<State, StackState<ElementState>>,
    action toStackAction: CaseKeyPath<Action, StackAction<ElementState, ElementAction>>
  ) -> StoreStack<ElementState, ElementAction> {
    scope(state: toStack, action: toStackAction)
  }
}
