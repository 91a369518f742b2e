public import CasePaths
public import PromptState

extension Reducer {
  /// Embeds a child whose state may be absent.
  ///
  /// ```swift
  /// Reduce { state, action in … }
  ///   .ifLet(\.child, action: \.child) { Child() }
  /// ```
  ///
  /// The child's reducer runs before this one, so it also handles an action on which this one dismisses it. The child's
  /// effects are cancelled when its state becomes nil or another child replaces it. An action for an absent child is
  /// reported as an issue.
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ toChildState: WritableKeyPath<State, ChildState?>,
    action toChildAction: CaseKeyPath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    _IfLetReducer(
      parent: self, child: child(), toChildState: toChildState, toChildAction: AnyCasePath(toChildAction),
      site: CompositionSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Embeds a child whose actions are named by a case path, in the 1.0 form: `ifLet(\.child, action: /Action.child)`.
  @_disfavoredOverload
  public func ifLet<ChildState, ChildAction, Child: Reducer<ChildState, ChildAction>>(
    _ toChildState: WritableKeyPath<State, ChildState?>,
    action toChildAction: AnyCasePath<Action, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> then child: () -> Child,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    _IfLetReducer(
      parent: self, child: child(), toChildState: toChildState, toChildAction: toChildAction,
      site: CompositionSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Embeds the state of an alert or a dialog, in the 1.0 form.
  @_disfavoredOverload
  public func ifLet<ChildState: _EphemeralState, ChildAction>(
    _ toChildState: WritableKeyPath<State, ChildState?>,
    action toChildAction: AnyCasePath<Action, ChildAction>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    ifLet(
      toChildState, action: toChildAction, then: { EmptyReducer() },
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Embeds the state of an alert or a dialog. Any of its actions, also in a `PresentationAction`, sets the state to nil
  /// after this reducer has run.
  public func ifLet<ChildState: _EphemeralState, ChildAction>(
    _ toChildState: WritableKeyPath<State, ChildState?>,
    action toChildAction: CaseKeyPath<Action, ChildAction>,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> some Reducer<State, Action> {
    ifLet(
      toChildState, action: toChildAction, then: { EmptyReducer() },
      fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// A reducer and a child whose state may be absent.
public struct _IfLetReducer<Parent: Reducer, Child: Reducer>: Reducer {
  @usableFromInline let parent: Parent
  @usableFromInline let child: Child
  @usableFromInline let toChildState: WritableKeyPath<Parent.State, Child.State?>
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
    let (kind, place) = (PresentedKind<Child.State>(), EffectScopePlace.of(toChildState, site))
    let isFirst = RunOrder.isFirst
    TargetChecks.add(isFirst: isFirst, child: child) { (state: Parent.State, action: Parent.Action) in
      guard let childAction = toChildAction.extract(from: action) else { return false }
      return state[keyPath: toChildState].map { child.mayMissTarget($0, childAction) } ?? true
    }
    return CompiledReducer { state, action in
      var effects = Effect<Parent.Action>.none
      let childAction = toChildAction.extract(from: action)
      if let childAction {
        effects = Reducing.change(&state, at: toChildState) { childState, _ in
          let effect = Self.reduceChild(
            &childState, childAction, child: child, kind: kind, place: place, embed: embed
          ) {
            if let refusal = site.refusal(isFirst: isFirst, LateText.child) { return .refusal(refusal) }
            site.reportAbsentChild(action: action)
            return .none
          }
          return (effect, false)
        }
        if effects.isRefusal { return effects }
      }
      guard let before = state[keyPath: toChildState].map(kind.identity) else {
        return effects.merge(with: parent(&state, action))
      }
      effects = effects.merge(with: parent(&state, action))
      guard state[keyPath: toChildState].map(kind.identity) == before else {
        return effects.merge(with: .cancel(EffectScope(place: place, child: before)))
      }
      // An alert ends after the parent, which may read it, unless the parent has shown another one.
      if let childAction, state[keyPath: toChildState].map({ kind.isDismissed($0, by: childAction) }) == true {
        state[keyPath: toChildState] = nil
      }
      return effects
    }
  }

  @inlinable
  static func reduceChild(
    _ childState: inout Child.State?, _ childAction: Child.Action, child: LazyReducer<Child.State, Child.Action>,
    kind: PresentedKind<Child.State>, place: EffectScopePlace,
    embed: @escaping @Sendable (Child.Action) -> Parent.Action, ifAbsent: () -> Effect<Parent.Action>
  ) -> Effect<Parent.Action> {
    guard let identity = childState.map(kind.identity) else { return ifAbsent() }
    // In place: with a copy of the child's state, its buffers would be shared and each change would copy them.
    guard let effect = childState.modifyIfPresent({ child.reduce(into: &$0, action: childAction) }) else {
      return .none
    }
    guard !effect.isNone else { return .none }
    return effect.map(embed).scoped(to: EffectScope(place: place, child: identity))
  }
}

extension Optional {
  /// Changes the value in place, if there is one.
  @inlinable
  mutating func modifyIfPresent<Result>(_ change: (inout Wrapped) -> Result) -> Result? {
    guard self != nil else { return nil }
    // swift-format-ignore: NeverForceUnwrap
    return change(&self!)
  }
}
