public import CasePaths
internal import Dependencies
public import IdentifiedCollections

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
  @_disfavoredOverload
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
  @usableFromInline let parent: Parent
  @usableFromInline let element: Element
  @usableFromInline let toStackState: WritableKeyPath<Parent.State, StackState<Element.State>>
  @usableFromInline let toStackAction: AnyCasePath<Parent.Action, StackAction<Element.State, Element.Action>>
  @usableFromInline let site: CompositionSite

  public func reduce(into state: inout Parent.State, action: Parent.Action) -> Effect<Parent.Action> {
    _compile().function(&state, action)
  }

  // Inlinable, as that of `forEach` on a collection.
  @inlinable
  public func _compile() -> CompiledReducer<Parent.State, Parent.Action> {
    let (parent, element) = (parent._compile(), LazyReducer(element))
    let (toStack, toAction, site) = (toStackState, toStackAction, site)
    let (identify, place) = (StateIdentity<Element.State>.reading, EffectScopePlace.of(toStackState, site))
    let isFirst = RunOrder.isFirst
    TargetChecks.add(isFirst: isFirst, child: element) { (state: Parent.State, action: Parent.Action) in
      switch toAction.extract(from: action) {
      case nil: false
      case .element(let id, let elementAction):
        state[keyPath: toStack][id: id].map { element.mayMissTarget($0, elementAction) } ?? true
      case .popFrom(let id): state[keyPath: toStack].entries.index(id: id) == nil
      case .push(let id, _): state[keyPath: toStack].entries.index(id: id) != nil
      }
    }
    return CompiledReducer { state, action in
      var effects = Effect<Parent.Action>.none
      var popped: StackElementID?
      switch toAction.extract(from: action) {
      case nil: break
      case .element(let id, let elementAction):
        guard let index = state[keyPath: toStack].entries.index(id: id) else {
          if let refusal = site.refusal(isFirst: isFirst, LateText.element) { return .refusal(refusal) }
          site.reportMissingElement(id: id, action: action)
          break
        }
        let effect = PresentationContext.reducing {
          Reducing.change(&state, at: toStack) { stack, moment in
            element.reduceElement(&stack.entries[index].element, elementAction, identify: identify, since: moment)
          }
        }
        if !effect.isNone {
          if let refusal = effect.refusal { return .refusal(refusal) }
          effects = effect.map { toAction.embed(.element(id: id, action: $0)) }
            .scoped(to: EffectScope(place: place, child: id), dismissal: toAction.embed(.popFrom(id: id)))
        }
      case .popFrom(let id):
        if state[keyPath: toStack].entries.index(id: id) == nil,
          let refusal = site.refusal(isFirst: isFirst, LateText.element)
        {
          return .refusal(refusal)
        }
        popped = id
      case .push(let id, let elementState):
        if state[keyPath: toStack].entries.index(id: id) != nil,
          let refusal = site.refusal(isFirst: isFirst, LateText.taken(id))
        {
          return .refusal(refusal)
        }
        site.push(elementState, id: id, on: &state[keyPath: toStack], action)
      }
      // An element's reducer cannot remove elements. Read here, so that the element's state changes in place before it.
      let before = state[keyPath: toStack].entries
      effects = effects.merge(with: parent(&state, action))
      if let popped { site.pop(from: popped, of: &state[keyPath: toStack], ifPresentIn: before, action) }

      // Versions share unchanged parts, so the cost does not depend on the number of elements.
      let after = state[keyPath: toStack]
      guard after.hasUnnoticed || !after.entries.isIdentical(to: before) else { return effects }
      return Self.settle(&state, effects, before: before, after: after, toStack, place)
    }
  }

  /// Cancels the effects of elements that are gone, and notes new ones.
  @usableFromInline
  static func settle(
    _ state: inout Parent.State, _ effects: Effect<Parent.Action>,
    before: IdentifiedArray<StackElementID, StackState<Element.State>.Entry>, after: StackState<Element.State>,
    _ toStack: WritableKeyPath<Parent.State, StackState<Element.State>>, _ place: EffectScopePlace
  ) -> Effect<Parent.Action> {
    var gone: [StackElementID] = []
    after.entries.visitChanges(from: before, by: { _, _ in true }) { change in
      if case .remove(let id, _, _) = change { gone.append(id) }
    }
    guard after.hasUnnoticed || !gone.isEmpty else { return effects }
    let removed = state[keyPath: toStack].takeUnnoticed()
    // Other reducers may have removed elements since the last action, or replaced the stack with this one.
    if gone.isEmpty { gone = removed } else { gone += Set(removed).subtracting(gone) }
    let cancellations = gone.map { Effect<Parent.Action>.cancel(EffectScope(place: place, child: $0)) }
    return effects.merge(with: .merge(cancellations))
  }
}

extension CompositionSite {
  /// Pushes an element; reports an id that is on the stack already.
  @usableFromInline
  func push<Element>(_ element: Element, id: StackElementID, on stack: inout StackState<Element>, _ action: Any) {
    guard stack.entries.index(id: id) == nil else {
      return reportStack(
        "received a \"push\" action for an element it already contains", id: id, ids: stack.ids, action: action)
    }
    noteID(of: id, action: action)
    stack.push(element, id: id)
  }

  /// Pops an element and those above it; reports one that was missing before the parent's reducer.
  @usableFromInline
  func pop<Element>(
    from id: StackElementID, of stack: inout StackState<Element>,
    ifPresentIn before: IdentifiedArray<StackElementID, StackState<Element>.Entry>, _ action: Any
  ) {
    guard before.index(id: id) == nil else { return stack.pop(from: id) }
    reportStack(
      "received a \"popFrom\" action for a missing element", id: id, ids: stack.ids, action: action)
  }

  /// Advances the id generator past the id of a pushed element. In tests, a skipped id is an issue.
  private func noteID(of id: StackElementID, action: Any) {
    @Dependency(\.context) var context
    @Dependency(\.stackElementID) var generator
    let next = generator.peek()
    // In a hub, other processes choose ids.
    let isHub = EffectPlaces.lateActions != .reported
    guard context == .test, !isHub, id.generation > next.generation else { return generator.advance(past: id) }
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
  private func reportStack(_ what: String, id: StackElementID, ids: [StackElementID], action: Any) {
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
