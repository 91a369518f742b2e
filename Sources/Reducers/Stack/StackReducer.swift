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
      let before = state[keyPath: toStack].ids
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
      effects = effects.merge(with: parent(&state, action))
      if let popped { state[keyPath: toStack].pop(from: popped) }

      for id in before where state[keyPath: toStack].entries.index(id: id) == nil {
        effects = effects.merge(with: .cancel(EffectScope(place: place, child: id)))
      }
      for index in state[keyPath: toStack].indices where !state[keyPath: toStack].entries[index].isNoticed {
        state[keyPath: toStack].entries[index].isNoticed = true
        let id = state[keyPath: toStack].entries[index].id
        let dismissal = EffectTree.send(toAction.embed(.popFrom(id: id)))
        effects = Effect(tree: .present(EffectScope(place: place, child: id), dismissal: dismissal))
          .merge(with: effects)
      }
      return effects
    }
  }
}
