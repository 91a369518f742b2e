public import CasePaths

extension Reducer {
  /// Embeds a child whose state is the payload of one of the state's cases.
  ///
  /// ```swift
  /// Reduce { state, action in … }
  ///   .ifCaseLet(\.loggedIn, action: \.loggedIn) { LoggedIn() }
  /// ```
  ///
  /// The child's reducer runs before this one; when the state leaves the case, the child's effects are cancelled.
  public func ifCaseLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ toChildState: CaseKeyPath<State, ChildState>,
    action toChildAction: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> where State: CasePathable {
    _IfCaseLetReducer(
      parent: self, child: child(), toChildState: AnyCasePath(toChildState),
      toChildAction: AnyCasePath(toChildAction),
      site: CompositionSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Embeds a child on a case of the state, in the 1.0 form: `ifCaseLet(/State.loggedIn, action: /Action.loggedIn)`.
  @_disfavoredOverload
  public func ifCaseLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ toChildState: AnyCasePath<State, ChildState>,
    action toChildAction: AnyCasePath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    _IfCaseLetReducer(
      parent: self, child: child(), toChildState: toChildState, toChildAction: toChildAction,
      site: CompositionSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}

/// A reducer and a child on one case of the reducer's state.
public struct _IfCaseLetReducer<Parent: Reducer, Child: Reducer>: Reducer {
  @usableFromInline let parent: Parent
  @usableFromInline let child: Child
  @usableFromInline let toChildState: AnyCasePath<Parent.State, Child.State>
  @usableFromInline let toChildAction: AnyCasePath<Parent.Action, Child.Action>
  @usableFromInline let site: CompositionSite

  public func reduce(into state: inout Parent.State, action: Parent.Action) -> Effect<Parent.Action> {
    _compile().function(&state, action)
  }

  // Inlinable, as that of `forEach`.
  @inlinable
  public func _compile() -> CompiledReducer<Parent.State, Parent.Action> {
    let (parent, child) = (parent._compile(), LazyReducer(child))
    let (toChildState, toChildAction, site) = (toChildState, toChildAction, site)
    let embed = toChildAction.embedding
    let (kind, place) = (PresentedKind<Child.State>(), EffectScopePlace.of(nil, site))
    let isFirst = RunOrder.isFirst
    TargetChecks.add(isFirst: isFirst, child: child) { (state: Parent.State, action: Parent.Action) in
      guard let childAction = toChildAction.extract(from: action) else { return false }
      return toChildState.extract(from: state).map { child.mayMissTarget($0, childAction) } ?? true
    }
    return CompiledReducer { state, action in
      var effects = Effect<Parent.Action>.none
      if let childAction = toChildAction.extract(from: action) {
        let effect = toChildState._modify(&state) { childState in
          let scope = EffectScope(place: place, child: kind.identity(of: childState))
          return child.reduce(into: &childState, action: childAction).map(embed).scoped(to: scope)
        }
        if effect == nil {
          if let refusal = site.refusal(isFirst: isFirst, LateText.otherCase) { return .refusal(refusal) }
          site.reportOtherCase("An \"ifCaseLet\"", action: action, state: state)
        }
        effects = effect ?? .none
        if effects.isRefusal { return effects }
      }
      guard let before = toChildState.extract(from: state).map(kind.identity) else {
        return effects.merge(with: parent(&state, action))
      }
      effects = effects.merge(with: parent(&state, action))
      guard toChildState.extract(from: state).map(kind.identity) != before else { return effects }
      return effects.merge(with: .cancel(EffectScope(place: place, child: before)))
    }
  }
}

extension CompositionSite {
  /// Reports an action for a case that the state is not in.
  @usableFromInline
  func reportOtherCase(_ composition: String, action: Any, state: Any) {
    report(
      composition,
      "received a child action when child state was set to a different case",
      action: action, state: state,
      causes: [
        """
        A parent reducer set the state to a different case before this reducer ran. This reducer must run before any \
        other reducer sets child state to a different case. This ensures that child reducers can handle their actions \
        while their state is still available.
        """,
        """
        An in-flight effect emitted this action when child state was unavailable. While it may be perfectly reasonable \
        to ignore this action, consider canceling the associated effect before child state changes to another case.
        """,
        """
        This action was sent to the store while state was another case. Make sure that actions for this reducer can \
        only be sent from a store when state is set to the appropriate case.
        """,
      ])
  }
}
