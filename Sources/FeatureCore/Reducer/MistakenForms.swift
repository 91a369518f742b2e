// Compositions whose action has the wrong type, with the remedy. Without them, the compiler finds no diagnostic for these
// common mistakes.

extension Reducer {
  /// A presented child whose actions are not in a `PresentationAction`.
  @available(
    *, unavailable,
    message: "the case of 'action' must have a PresentationAction: case child(PresentationAction<Child.Action>)"
  )
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ toPresentationState: WritableKeyPath<State, PresentationState<ChildState>>,
    action toChildAction: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> destination: () -> Child
  ) -> Self {
    fatalError("unavailable")
  }

  /// A list of children whose actions are not in an `IdentifiedAction`.
  @available(
    *, unavailable, message: "the case of 'action' must have an IdentifiedAction: case rows(IdentifiedActionOf<Row>)"
  )
  public func forEach<
    ElementState, ElementAction, ID: Hashable & Sendable, Element: Reducer<ElementState, ElementAction>
  >(
    _ toElementsState: WritableKeyPath<State, IdentifiedArray<ID, ElementState>>,
    action toElementAction: CaseKeyPath<Action, ElementAction>,
    @ReducerBuilder<ElementState, ElementAction> element: () -> Element
  ) -> Self {
    fatalError("unavailable")
  }

  /// A stack of children whose actions are not in a `StackAction`.
  @available(*, unavailable, message: "the case of 'action' must have a StackAction: case path(StackActionOf<Screen>)")
  public func forEach<ElementState, ElementAction, Element: Reducer<ElementState, ElementAction>>(
    _ toStackState: WritableKeyPath<State, StackState<ElementState>>,
    action toElementAction: CaseKeyPath<Action, ElementAction>,
    @ReducerBuilder<ElementState, ElementAction> destination: () -> Element
  ) -> Self {
    fatalError("unavailable")
  }
}
