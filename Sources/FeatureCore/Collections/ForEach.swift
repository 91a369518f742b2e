public import CasePaths
public import IdentifiedCollections

extension Reducer {
  /// Embeds a child for each element of a collection.
  ///
  /// ```swift
  /// Reduce { state, action in … }
  ///   .forEach(\.rows, action: \.rows) { Row() }
  /// ```
  ///
  /// An element's reducer runs before this one. Removing an element cancels its effects. An action for a missing
  /// element is reported as an issue.
  public func forEach<
    ElementState, ElementAction, ID: Hashable & Sendable, Element: Reducer<ElementState, ElementAction>
  >(
    _ toElementsState: WritableKeyPath<State, IdentifiedArray<ID, ElementState>>,
    action toElementAction: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
    @ReducerBuilder<ElementState, ElementAction> element: () -> Element,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    _ForEachReducer(
      parent: self, element: element(), toElementsState: toElementsState,
      toElementAction: AnyCasePath(toElementAction),
      site: CompositionSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Embeds an enum of features for each element.
  public func forEach<ElementState: CaseReducerState, ElementAction, ID: Hashable & Sendable>(
    _ toElementsState: WritableKeyPath<State, IdentifiedArray<ID, ElementState>>,
    action toElementAction: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> where ElementState.StateReducer.Action == ElementAction {
    forEach(
      toElementsState, action: toElementAction, element: { ElementState._body },
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Embeds a child for each element, in the 1.0 form: `/Action.row(id:action:)` names the elements' actions.
  @_disfavoredOverload
  public func forEach<
    ElementState, ElementAction, ID: Hashable & Sendable, Element: Reducer<ElementState, ElementAction>
  >(
    _ toElementsState: WritableKeyPath<State, IdentifiedArray<ID, ElementState>>,
    action toElementAction: AnyCasePath<Action, (ID, ElementAction)>,
    @ReducerBuilder<ElementState, ElementAction> element: () -> Element,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    _ForEachReducer(
      parent: self, element: element(), toElementsState: toElementsState,
      toElementAction: AnyCasePath(
        embed: { action in
          switch action {
          case .element(let id, let action): toElementAction.embed((id, action))
          }
        },
        extract: { toElementAction.extract(from: $0).map { .element(id: $0, action: $1) } }),
      site: CompositionSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}

/// A reducer and a child for each element of a collection.
public struct _ForEachReducer<Parent: Reducer, ID: Hashable & Sendable, Element: Reducer>: Reducer {
  @usableFromInline let parent: Parent
  @usableFromInline let element: Element
  @usableFromInline let toElementsState: WritableKeyPath<Parent.State, IdentifiedArray<ID, Element.State>>
  @usableFromInline let toElementAction: AnyCasePath<Parent.Action, IdentifiedAction<ID, Element.Action>>
  @usableFromInline let site: CompositionSite

  @usableFromInline
  init(
    parent: Parent, element: Element,
    toElementsState: WritableKeyPath<Parent.State, IdentifiedArray<ID, Element.State>>,
    toElementAction: AnyCasePath<Parent.Action, IdentifiedAction<ID, Element.Action>>, site: CompositionSite
  ) {
    (self.parent, self.element) = (parent, element)
    (self.toElementsState, self.toElementAction, self.site) = (toElementsState, toElementAction, site)
  }

  public func reduce(into state: inout Parent.State, action: Parent.Action) -> Effect<Parent.Action> {
    _compile().function(&state, action)
  }

  // Inlinable, so that the feature's module can specialise it: otherwise each action looks up its types at run time.
  @inlinable
  public func _compile() -> CompiledReducer<Parent.State, Parent.Action> {
    let (parent, element) = (parent._compile(), LazyReducer(element))
    let (toElements, toElementAction, site) = (toElementsState, toElementAction, site)
    let (identify, place) = (StateIdentity<Element.State>.reading, EffectScopePlace.of(toElementsState, site))
    let isFirst = RunOrder.isFirst
    TargetChecks.add(isFirst: isFirst, child: element) { (state: Parent.State, action: Parent.Action) in
      guard case .element(let id, let elementAction)? = toElementAction.extract(from: action) else { return false }
      return state[keyPath: toElements][id: id].map { element.mayMissTarget($0, elementAction) } ?? true
    }
    return CompiledReducer { state, action in
      var effects = Effect<Parent.Action>.none
      if case .element(let id, let elementAction)? = toElementAction.extract(from: action) {
        let effect = Reducing.change(&state, at: toElements) { elements, moment in
          Self.reduce(&elements, id, elementAction, element: element, identify: identify, since: moment)
        }
        if let effect, !effect.isNone {
          if let refusal = effect.refusal { return .refusal(refusal) }
          effects = effect.map { toElementAction.embed(.element(id: id, action: $0)) }
            .scoped(to: EffectScope(place: place, child: id))
        } else if case nil = effect {
          if let refusal = site.refusal(isFirst: isFirst, LateText.element) { return .refusal(refusal) }
          site.reportMissingElement(id: id, action: action)
        }
      }
      // Keeping the elements would make the parent copy what it changes.
      guard !effects.isNone || EffectPlaces.mayHaveEffects(place) else { return parent(&state, action) }
      let before = state[keyPath: toElements]
      effects = effects.merge(with: parent(&state, action))
      // Versions of a collection share unchanged parts, so this costs nothing while the parent does not change the
      // elements.
      let after = state[keyPath: toElements]
      guard !after.isIdentical(to: before) else { return effects }
      // Merged in one step, into a flat tree: the parent may have removed all elements of a long list.
      var cancellations: [Effect<Parent.Action>] = []
      after.visitChanges(from: before, by: { _, _ in true }) { change in
        guard case .remove(let id, _, _) = change else { return }
        cancellations.append(.cancel(EffectScope(place: place, child: id)))
      }
      return effects.merge(with: .merge(cancellations))
    }
  }

  /// Reduces one element in place; returns no effect if it is missing.
  @inlinable
  static func reduce(
    _ elements: inout IdentifiedArray<ID, Element.State>, _ id: ID, _ action: Element.Action,
    element: LazyReducer<Element.State, Element.Action>, identify: ((borrowing Element.State) -> ObservableStateID)?,
    since moment: UInt64?
  ) -> (Effect<Element.Action>?, isElementOnly: Bool) {
    let result = elements[id: id].modifyIfPresent {
      element.reduceElement(&$0, action, identify: identify, since: moment)
    }
    return (result?.0, result?.isElementOnly ?? true)
  }
}

extension CompositionSite {
  /// Reports an action for an element that is missing, or that exists already.
  @usableFromInline
  func reportMissingElement(
    _ what: String = "received an action for a missing element", id: some Hashable, action: Any
  ) {
    report(
      "A \"forEach\"", what, action: action,
      causes: [
        """
        A parent reducer removed an element with this ID before this reducer ran. This reducer must run before any \
        other reducer removes an element, which ensures that element reducers can handle their actions while their \
        state is still available. (The ID: \(id))
        """,
        """
        An in-flight effect emitted this action when state contained no element at this ID. While it may be perfectly \
        reasonable to ignore this action, consider canceling the associated effect before an element is removed, \
        especially if it is a long-living effect.
        """,
        """
        This action was sent to the store while its state contained no element at this ID. Make sure that actions for \
        this reducer can only be sent from a store when its state contains an element at this id.
        """,
      ])
  }
}
