public import CasePaths
public import PromptState

extension Reducer {
  /// Embeds a presented child. The child's effects are cancelled when it is dismissed or replaced. It can dismiss
  /// itself.
  ///
  /// ```swift
  /// Reduce { state, action in … }
  ///   .ifLet(\.$destination, action: \.destination) { Destination() }
  /// ```
  ///
  /// `.destination(.dismiss)` sets the state to nil after this reducer has run.
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ toPresentationState: WritableKeyPath<State, PresentationState<ChildState>>,
    action toPresentationAction: CaseKeyPath<Action, PresentationAction<ChildAction>>,
    @ReducerBuilder<ChildState, ChildAction> destination: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    _PresentationReducer(
      parent: self, child: destination(), toPresentationState: toPresentationState,
      toPresentationAction: AnyCasePath(toPresentationAction),
      site: CompositionSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Embeds an enum of features: `.ifLet(\.$destination, action: \.destination)`.
  public func ifLet<ChildState: CaseReducerState, ChildAction>(
    _ toPresentationState: WritableKeyPath<State, PresentationState<ChildState>>,
    action toPresentationAction: CaseKeyPath<Action, PresentationAction<ChildAction>>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> where ChildState.StateReducer.Action == ChildAction {
    ifLet(
      toPresentationState, action: toPresentationAction, destination: { ChildState._body },
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Embeds the state of an alert or a dialog. Any of its actions sets the state to nil.
  public func ifLet<ChildState: _EphemeralState>(
    _ toPresentationState: WritableKeyPath<State, PresentationState<ChildState>>,
    action toPresentationAction: CaseKeyPath<Action, PresentationAction<ChildState.Action>>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    ifLet(
      toPresentationState, action: toPresentationAction, destination: { EmptyReducer() },
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Embeds a presented child, in the 1.0 form: `/Action.destination` names the child's actions.
  @_disfavoredOverload
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ toPresentationState: WritableKeyPath<State, PresentationState<ChildState>>,
    action toPresentationAction: AnyCasePath<Action, PresentationAction<ChildAction>>,
    @ReducerBuilder<ChildState, ChildAction> destination: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    _PresentationReducer(
      parent: self, child: destination(), toPresentationState: toPresentationState,
      toPresentationAction: toPresentationAction,
      site: CompositionSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Embeds the state of an alert or a dialog, in the 1.0 form.
  @_disfavoredOverload
  public func ifLet<ChildState: _EphemeralState>(
    _ toPresentationState: WritableKeyPath<State, PresentationState<ChildState>>,
    action toPresentationAction: AnyCasePath<Action, PresentationAction<ChildState.Action>>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    ifLet(
      toPresentationState, action: toPresentationAction, destination: { EmptyReducer() },
      fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// A reducer and the child that it presents.
public struct _PresentationReducer<Parent: Reducer, Child: Reducer>: Reducer {
  @usableFromInline let parent: Parent
  @usableFromInline let child: Child
  @usableFromInline let toPresentationState: WritableKeyPath<Parent.State, PresentationState<Child.State>>
  @usableFromInline let toPresentationAction: AnyCasePath<Parent.Action, PresentationAction<Child.Action>>
  @usableFromInline let site: CompositionSite

  public func reduce(into state: inout Parent.State, action: Parent.Action) -> Effect<Parent.Action> {
    _compile().function(&state, action)
  }

  // Inlinable, as that of `forEach`.
  @inlinable
  public func _compile() -> CompiledReducer<Parent.State, Parent.Action> {
    let (parent, child) = (parent._compile(), LazyReducer(child))
    let (toState, toAction, site) = (toPresentationState, toPresentationAction, site)
    let embed: @Sendable (Child.Action) -> Parent.Action = { toAction.embed(.presented($0)) }
    let (kind, place) = (PresentedKind<Child.State>(), EffectScopePlace.of(toPresentationState, site))
    let isFirst = RunOrder.isFirst
    TargetChecks.add(isFirst: isFirst, child: child) { (state: Parent.State, action: Parent.Action) in
      guard let presentationAction = toAction.extract(from: action) else { return false }
      let presentation = state[keyPath: toState]
      guard let childState = presentation.wrappedValue, !presentation.isUnseen else { return true }
      guard case .presented(let childAction) = presentationAction else { return false }
      return child.mayMissTarget(childState, childAction)
    }
    return CompiledReducer { state, action in
      let before = PresentationGlance(at: state[keyPath: toState], kind)
      var effects = Effect<Parent.Action>.none
      /// True if this action ends the presentation, unless the parent presents another child.
      var ends = false
      let presentationAction = toAction.extract(from: action)
      if before.child != nil, presentationAction != nil, state[keyPath: toState].isUnseen,
        let refusal = site.refusal(isFirst: isFirst, LateText.otherCase)
      {
        return .refusal(refusal)
      }
      switch (before.child, presentationAction) {
      case (_, nil): break
      case (nil, _?):
        if let refusal = site.refusal(isFirst: isFirst, LateText.child) { return .refusal(refusal) }
        site.reportAbsentPresentation(action: action)
      case (_?, .dismiss?): ends = true
      case (let childBefore?, .presented(let childAction)?):
        ends = state[keyPath: toState].wrappedValue.map { kind.isDismissed($0, by: childAction) } ?? false
        let effect = PresentationContext.reducing {
          Reducing.change(&state, at: toState) { presentation, _ in
            let effect = presentation.wrappedValue.modifyIfPresent { child.reduce(into: &$0, action: childAction) }
            return (effect ?? .none, false)
          }
        }
        if !effect.isNone {
          if let refusal = effect.refusal { return .refusal(refusal) }
          let scope = EffectScope(place: place, child: childBefore)
          effects = effect.map(embed).scoped(to: scope, dismissal: toAction.embed(.dismiss))
        }
      }
      effects = effects.merge(with: parent(&state, action))

      let after = PresentationGlance(at: state[keyPath: toState], kind)
      if !ends, after == before, after.noticed == after.child { return effects }
      return Self.settle(&state, effects, before: before, after: after, ends: ends, toState, place)
    }
  }

  /// Ends the presentation if the action did, cancels the effects of a child that is gone, and notes a new one.
  @usableFromInline
  static func settle(
    _ state: inout Parent.State, _ effects: Effect<Parent.Action>, before: PresentationGlance,
    after: PresentationGlance, ends: Bool,
    _ toState: WritableKeyPath<Parent.State, PresentationState<Child.State>>, _ place: EffectScopePlace
  ) -> Effect<Parent.Action> {
    var (effects, after) = (effects, after)
    if ends, after.child == before.child {
      state[keyPath: toState].wrappedValue = nil
      after.child = nil
    }
    if let noticedBefore = before.noticed, noticedBefore != after.child {
      effects = effects.merge(with: .cancel(EffectScope(place: place, child: noticedBefore)))
      state[keyPath: toState].presented = nil
      after.noticed = nil
    } else if let childBefore = before.child, childBefore != after.child {
      effects = effects.merge(with: .cancel(EffectScope(place: place, child: childBefore)))
    }
    guard let childAfter = after.child else { return effects }
    if after.noticed != childAfter { state[keyPath: toState].presented = childAfter }
    if before.child != childAfter { state[keyPath: toState].noteOrigin() }
    return effects
  }
}

/// The identities of a presentation at one moment. It does not retain the child's state.
@usableFromInline
struct PresentationGlance: Equatable {
  @usableFromInline var child: PresentationIdentity?
  /// The child that the parent has seen.
  @usableFromInline var noticed: PresentationIdentity?

  @inlinable
  init<State>(at presentation: PresentationState<State>, _ kind: PresentedKind<State>) {
    noticed = presentation.presented
    child = presentation.identity(by: kind)
  }

  @inlinable
  static func == (lhs: Self, rhs: Self) -> Bool { lhs.child == rhs.child && lhs.noticed == rhs.noticed }
}

extension CompositionSite {
  @usableFromInline
  func reportAbsentPresentation(action: Any) {
    report(
      "An \"ifLet\"", "received a presentation action when destination state was absent", action: action,
      causes: [
        """
        A parent reducer set destination state to "nil" before this reducer ran. This reducer must run before any \
        other reducer sets destination state to "nil". This ensures that destination reducers can handle their actions \
        while their state is still present.
        """,
        """
        This action was sent to the store while destination state was "nil". Make sure that actions for this reducer \
        can only be sent from a store when state is present, or from effects that start from this reducer.
        """,
      ])
  }
}
