public import CasePaths

extension Reducer {
  /// Embeds a stack of children.
  ///
  /// ```swift
  /// Reduce { state, action in … }
  ///   .forEach(\.path, action: \.path) { Path() }
  /// ```
  ///
  /// `.popFrom(id:)` takes an element off the stack after this reducer has seen it, `.push(id:state:)` puts one onto
  /// it before. Effects of an element end when it goes off the stack, and it can dismiss itself.
  public func forEach<ElementState, ElementAction, Element: Reducer<ElementState, ElementAction>>(
    _ toStackState: WritableKeyPath<State, StackState<ElementState>>,
    action toStackAction: CaseKeyPath<Action, StackAction<ElementState, ElementAction>>,
    @ReducerBuilder<ElementState, ElementAction> destination: () -> Element,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    _StackReducer(
      parent: self, element: destination(), toStackState: toStackState, toStackAction: AnyCasePath(toStackAction),
      site: CompositionSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Embeds a stack of an enum of features: `.forEach(\.path, action: \.path)`.
  public func forEach<ElementState: CaseReducerState, ElementAction>(
    _ toStackState: WritableKeyPath<State, StackState<ElementState>>,
    action toStackAction: CaseKeyPath<Action, StackAction<ElementState, ElementAction>>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> where ElementState.StateReducer.Action == ElementAction {
    forEach(
      toStackState, action: toStackAction, destination: { ElementState._body },
      fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// A reducer and a stack of children.
public struct _StackReducer<Parent: Reducer, Element: Reducer>: Reducer {
  let parent: Parent
  let element: Element
  let toStackState: WritableKeyPath<Parent.State, StackState<Element.State>>
  let toStackAction: AnyCasePath<Parent.Action, StackAction<Element.State, Element.Action>>
  let site: CompositionSite

  public func reduce(into state: inout Parent.State, action: Parent.Action) -> Effect<Parent.Action> {
    _compile()(&state, action)
  }

  public func _compile() -> (inout Parent.State, Parent.Action) -> Effect<Parent.Action> {
    let (parent, element) = (parent._compile(), LazyReducer(element))
    let (toStack, toAction, site) = (toStackState, toStackAction, site)
    let (kind, place) = (PresentedKind<Element.State>(), EffectScopePlace.of(toStackState, site))
    return { state, action in
      var effects = Effect<Parent.Action>.none
      var popped: StackElementID?
      switch toAction.extract(from: action) {
      case nil: break
      case .element(let id, let elementAction):
        guard let index = state[keyPath: toStack].entries.index(id: id) else {
          site.reportMissingElement(id: id, action: action)
          break
        }
        let isPrompt = kind.isEphemeral(state[keyPath: toStack][index])
        effects = PresentationContext.reducing {
          element.reduce(into: &state[keyPath: toStack][index], action: elementAction)
        }
        .map { toAction.embed(.element(id: id, action: $0)) }
        .scoped(to: EffectScope(place: place, child: id))
        if isPrompt { popped = id }
      case .popFrom(let id):
        if state[keyPath: toStack].entries.index(id: id) == nil {
          site.reportMissingElement("received a \"popFrom\" action for a missing element", id: id, action: action)
        }
        popped = id
      case .push(let id, let elementState):
        if state[keyPath: toStack].entries.index(id: id) == nil {
          state[keyPath: toStack].push(elementState, id: id)
        } else {
          site.reportMissingElement(
            "received a \"push\" action for an element it already contains", id: id, action: action)
        }
      }
      // An element's reducer cannot take any off the stack, and changes its state in place as long as nothing is kept.
      let before = state[keyPath: toStack].entries
      effects = effects.merge(with: parent(&state, action))
      if let popped { state[keyPath: toStack].pop(from: popped) }

      // Versions share what is the same, so this does not depend on how many are on the stack.
      let after = state[keyPath: toStack]
      if !after.entries.isSameVersion(as: before) {
        var cancellations: [Effect<Parent.Action>] = []
        after.entries.visitChanges(from: before, by: { _, _ in true }) { change in
          guard case .remove(let id, _, _) = change else { return }
          cancellations.append(.cancel(EffectScope(place: place, child: id)))
        }
        effects = effects.merge(with: .merge(cancellations))
      }
      guard after.hasUnnoticed else { return effects }
      let presentations = state[keyPath: toStack].takeUnnoticed().map { id in
        let dismissal = EffectTree.send(toAction.embed(.popFrom(id: id)))
        return Effect(tree: .present(EffectScope(place: place, child: id), dismissal: dismissal))
      }
      return .merge(presentations).merge(with: effects)
    }
  }
}
