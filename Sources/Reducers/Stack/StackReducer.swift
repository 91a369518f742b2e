public import CasePaths
internal import Dependencies

extension Reducer {
  /// Embeds a stack of children.
  ///
  /// ```swift
  /// Reduce { state, action in … }
  ///   .forEach(\.path, action: \.path) { Path() }
  /// ```
  ///
  /// `.popFrom(id:)` pops an element after this reducer has run; `.push(id:state:)` pushes one before it runs. The
  /// effects of an element are cancelled when it leaves the stack. An element can dismiss itself.
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

  /// Embeds a stack of children whose actions are named by a case path, in the 1.0 form.
  public func forEach<ElementState, ElementAction, Element: Reducer<ElementState, ElementAction>>(
    _ toStackState: WritableKeyPath<State, StackState<ElementState>>,
    action toStackAction: AnyCasePath<Action, StackAction<ElementState, ElementAction>>,
    @ReducerBuilder<ElementState, ElementAction> destination: () -> Element,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    _StackReducer(
      parent: self, element: destination(), toStackState: toStackState, toStackAction: toStackAction,
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
    let place = EffectScopePlace.of(toStackState, site)
    return { state, action in
      var effects = Effect<Parent.Action>.none
      var popped: StackElementID?
      var missing: StackElementID?
      switch toAction.extract(from: action) {
      case nil: break
      case .element(let id, let elementAction):
        guard let index = state[keyPath: toStack].entries.index(id: id) else {
          site.reportMissingElement(id: id, action: action)
          break
        }
        effects = PresentationContext.reducing {
          element.reduce(into: &state[keyPath: toStack][index], action: elementAction)
        }
        .map { toAction.embed(.element(id: id, action: $0)) }
        .scoped(to: EffectScope(place: place, child: id))
      case .popFrom(let id):
        if state[keyPath: toStack].entries.index(id: id) != nil { popped = id } else { missing = id }
      case .push(let id, let elementState):
        if state[keyPath: toStack].entries.index(id: id) == nil {
          site.noteID(of: id, action: action)
          state[keyPath: toStack].push(elementState, id: id)
        } else {
          site.reportStack(
            "received a \"push\" action for an element it already contains", id: id,
            ids: state[keyPath: toStack].ids, action: action)
        }
      }
      // An element's reducer cannot remove elements. Read here, so that the element's state changes in place before it.
      let before = state[keyPath: toStack].entries
      effects = effects.merge(with: parent(&state, action))
      if let popped { state[keyPath: toStack].pop(from: popped) }
      if let missing {
        site.reportStack(
          "received a \"popFrom\" action for a missing element", id: missing, ids: state[keyPath: toStack].ids,
          action: action)
      }

      // Versions share unchanged parts, so the cost does not depend on the number of elements.
      let after = state[keyPath: toStack]
      var gone: [StackElementID] = []
      if !after.entries.isSameVersion(as: before) {
        after.entries.visitChanges(from: before, by: { _, _ in true }) { change in
          if case .remove(let id, _, _) = change { gone.append(id) }
        }
      }
      guard after.hasUnnoticed || !gone.isEmpty else { return effects }
      let (added, removed) = state[keyPath: toStack].takeUnnoticed()
      // Other reducers may have removed elements since the last action, or replaced the stack with this one.
      if gone.isEmpty { gone = removed } else { gone += Set(removed).subtracting(gone) }
      let presentations = added.map { id in
        let dismissal = EffectTree.send(toAction.embed(.popFrom(id: id)))
        return Effect(tree: .present(EffectScope(place: place, child: id), dismissal: dismissal))
      }
      let cancellations = gone.map { Effect<Parent.Action>.cancel(EffectScope(place: place, child: $0)) }
      return .merge(presentations).merge(with: effects).merge(with: .merge(cancellations))
    }
  }
}

extension CompositionSite {
  /// Advances the id generator past the id of a pushed element. In tests, a skipped id is an issue.
  fileprivate func noteID(of id: StackElementID, action: Any) {
    @Dependency(\.context) var context
    @Dependency(\.stackElementID) var generator
    let next = generator.peek()
    guard context == .test, id.generation > next.generation else { return generator.advance(past: id) }
    report(
      """
      A "forEach" at "\(fileID):\(line)" received a "push" action with an unexpected generational ID. …

        Action:
          \(DebugLabels.of(action))
        Received ID:
          \(id)
        Expected ID:
          \(next)
      """)
  }

  /// Reports a push of an existing element or a pop of a missing one.
  fileprivate func reportStack(_ what: String, id: StackElementID, ids: [StackElementID], action: Any) {
    report(
      """
      A "forEach" at "\(fileID):\(line)" \(what). …

        Action:
          \(DebugLabels.of(action))
        ID:
          \(id)
        Path IDs:
          \(ids)
      """)
  }
}
