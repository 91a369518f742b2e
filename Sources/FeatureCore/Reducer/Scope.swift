public import CasePaths

/// Embeds a child feature in a parent. The child's actions run the child's reducer on the child's state.
///
/// ```swift
/// var body: some ReducerOf<Self> {
///   Scope(state: \.counter, action: \.counter) { Counter() }
/// }
/// ```
///
/// Put a `Scope` before the parent's own logic, so that the child sees its actions before the parent reacts.
public struct Scope<ParentState, ParentAction, Child: Reducer>: Reducer {
  @usableFromInline let toChildState: WritableKeyPath<ParentState, Child.State>
  @usableFromInline let toChildAction: AnyCasePath<ParentAction, Child.Action>
  @usableFromInline let child: Child
  /// The case of the action that the child handles, if it is known.
  @usableFromInline let actionCase: PartialCaseKeyPath<ParentAction>?

  /// Embeds a child whose state is a property of the parent's state.
  ///
  /// - Parameters:
  ///   - toChildState: The property of the child's state.
  ///   - toChildAction: The case of the parent's actions that carries the child's.
  ///   - child: The child's reducer.
  @inlinable
  public init<ChildState, ChildAction>(
    state toChildState: WritableKeyPath<ParentState, ChildState>,
    action toChildAction: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child
  ) where ChildState == Child.State, ChildAction == Child.Action {
    self.toChildState = toChildState
    self.toChildAction = AnyCasePath(toChildAction)
    self.child = child()
    actionCase = toChildAction
  }

  /// Embeds a child whose state is a property of the parent's state, in the form since 1.26:
  /// `Scope(\.counter, action: \.counter) { Counter() }`.
  @inlinable
  public init<ChildState, ChildAction>(
    _ toChildState: WritableKeyPath<ParentState, ChildState>,
    action toChildAction: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child
  ) where ChildState == Child.State, ChildAction == Child.Action {
    self.init(state: toChildState, action: toChildAction, child: child)
  }

  /// Embeds a child, in the 1.0 form: `/Action.child` names the child's actions.
  public init<ChildState, ChildAction>(
    state toChildState: WritableKeyPath<ParentState, ChildState>,
    action toChildAction: AnyCasePath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Child
  ) where ChildState == Child.State, ChildAction == Child.Action {
    self.toChildState = toChildState
    self.toChildAction = toChildAction
    self.child = child()
    actionCase = nil
  }

  public func reduce(into state: inout ParentState, action: ParentAction) -> Effect<ParentAction> {
    _compile().function(&state, action)
  }

  @inlinable public var _routedCount: Int { actionCase == nil ? 0 : 1 }

  @inlinable public var _handledCases: [AnyKeyPath]? { actionCase.map { [$0] } }

  @inlinable public func _addSteps(to steps: inout [_ReducerStep<ParentState, ParentAction>]) {
    steps.append(_ReducerStep(_compile(), for: actionCase))
  }

  @inlinable
  public func _compile() -> CompiledReducer<ParentState, ParentAction> {
    let (toChildState, toChildAction) = (toChildState, toChildAction)
    let (child, check) = TargetChecks.ofChild {
      RunOrder.scope(actionCase) {
        EffectScopePlace.within(toChildState) { self.child._compile() }
      }
    }
    TargetChecks.add(check) { (state: ParentState, action: ParentAction) in
      toChildAction.extract(from: action).map { (state[keyPath: toChildState], $0) }
    }
    let embed = toChildAction.embedding
    // A stored property is accessed by its offset, which is far cheaper than walking the key path.
    guard let offset = MemoryLayout<ParentState>.offset(of: toChildState) else {
      return CompiledReducer { state, action in
        guard let childAction = toChildAction.extract(from: action) else { return .none }
        return reduceChild(childAction, in: &state, at: toChildState, by: child).map(embed)
      }
    }
    let stored = StoredChild(offset: offset, path: toChildAction, actionCase: actionCase, child: child)
    return CompiledReducer { state, action in stored.reduce(&state, action) }
  }

  /// A child whose state is a stored property, as one object: a closure receives separate captures one by one, which
  /// costs 20 instructions per action.
  @usableFromInline
  final class StoredChild {
    @usableFromInline let offset: Int
    @usableFromInline let path: AnyCasePath<ParentAction, Child.Action>
    @usableFromInline let child: CompiledReducer<Child.State, Child.Action>
    /// The position of the child's case among those of the parent's action; negative while it is unknown. Without the
    /// exclusivity check: a word is loaded or stored at once.
    @exclusivity(unchecked) @usableFromInline var caseIndex = -1
    private let actionCase: PartialCaseKeyPath<ParentAction>?
    private var mayHaveIndex = true

    @usableFromInline
    init(
      offset: Int, path: AnyCasePath<ParentAction, Child.Action>, actionCase: PartialCaseKeyPath<ParentAction>?,
      child: CompiledReducer<Child.State, Child.Action>
    ) {
      (self.offset, self.path, self.actionCase, self.child) = (offset, path, actionCase, child)
    }

    @inlinable @inline(__always)
    func reduce(_ state: inout ParentState, _ action: ParentAction) -> Effect<ParentAction> {
      guard let childAction = childAction(of: action) else { return .none }
      return _withUnprotectedUnsafeMutablePointer(to: &state) { parent in
        let state = UnsafeMutableRawPointer(parent).advanced(by: offset).assumingMemoryBound(to: Child.State.self)
        return child(&state.pointee, childAction).map(path.embedding)
      }
    }

    /// The child's action in an action of the parent. Where the compiler knows the types, it is taken from registers: a
    /// call of the case path's function would copy it and write it to memory.
    @inlinable @inline(__always)
    func childAction(of action: ParentAction) -> Child.Action? {
      guard _isConcrete(ParentAction.self), let cases = ParentAction.self as? any CasePathable.Type else {
        return path.extract(from: action)
      }
      return childAction(of: action, cases)
    }

    @inlinable @inline(__always)
    func childAction<Cases: CasePathable>(of action: ParentAction, _: Cases.Type) -> Child.Action? {
      let known: Child.Action? = _withUnprotectedUnsafePointer(to: action) { action in
        // The same type, which the compiler sees where it matters.
        Cases._payload(of: UnsafeRawPointer(action).assumingMemoryBound(to: Cases.self).pointee, at: caseIndex)
      }
      if let known { return known }
      return caseIndex < 0 ? extract(from: action) : nil
    }

    /// Extracts the child's action, and notes the position of its case.
    @usableFromInline @inline(never)
    func extract(from action: ParentAction) -> Child.Action? {
      let childAction = path.extract(from: action)
      if childAction != nil, mayHaveIndex {
        mayHaveIndex = false
        caseIndex = Self.index(of: action, in: actionCase) ?? -1
      }
      return childAction
    }

    /// The position of an action's case, if a key path names the case itself and not one within its payload.
    private static func index(of action: ParentAction, in actionCase: PartialCaseKeyPath<ParentAction>?) -> Int? {
      guard let actionCase, let cases = ActionCases<ParentAction>(), cases.keyPaths.contains(actionCase),
        let type = ParentAction.self as? any CasePathable.Type
      else { return nil }
      func index<Cases: CasePathable>(_: Cases.Type) -> Int? {
        guard let action = action as? Cases, let index = Cases._caseIndex(of: action) else { return nil }
        // A case with several values, or of an enum that was made case-pathable by hand, has no such payload.
        let childAction: Child.Action? = Cases._payload(of: action, at: index)
        return childAction == nil ? nil : index
      }
      return index(type)
    }
  }
}

extension Scope {
  /// Embeds a child whose state is the payload of one of the parent state's cases.
  ///
  /// An action for another case than the state's is reported as an issue. `ifCaseLet` also cancels the child's effects
  /// when the state leaves the case.
  public init<ChildState, ChildAction, Case: Reducer<ChildState, ChildAction>>(
    state toChildState: CaseKeyPath<ParentState, ChildState>,
    action toChildAction: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Case,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where ParentState: CasePathable, Child == _CaseScope<ParentState, ParentAction, Case> {
    self.init(
      state: AnyCasePath(toChildState), action: AnyCasePath(toChildAction), actionCase: toChildAction, child: child,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Embeds a child on a case, in the form since 1.26: `Scope(\.loggedIn, action: \.loggedIn) { … }`.
  public init<ChildState, ChildAction, Case: Reducer<ChildState, ChildAction>>(
    _ toChildState: CaseKeyPath<ParentState, ChildState>,
    action toChildAction: CaseKeyPath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Case,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where ParentState: CasePathable, Child == _CaseScope<ParentState, ParentAction, Case> {
    self.init(
      state: AnyCasePath(toChildState), action: AnyCasePath(toChildAction), actionCase: toChildAction, child: child,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Embeds a child on a case, in the 1.0 form: `Scope(state: /State.loggedIn, action: /Action.loggedIn)`.
  public init<ChildState, ChildAction, Case: Reducer<ChildState, ChildAction>>(
    state toChildState: AnyCasePath<ParentState, ChildState>,
    action toChildAction: AnyCasePath<ParentAction, ChildAction>,
    @ReducerBuilder<ChildState, ChildAction> child: () -> Case,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where Child == _CaseScope<ParentState, ParentAction, Case> {
    self.init(
      state: toChildState, action: toChildAction, actionCase: nil, child: child, fileID: fileID, filePath: filePath,
      line: line, column: column)
  }

  private init<ChildState, ChildAction, Case: Reducer<ChildState, ChildAction>>(
    state toChildState: AnyCasePath<ParentState, ChildState>,
    action toChildAction: AnyCasePath<ParentAction, ChildAction>,
    actionCase: PartialCaseKeyPath<ParentAction>?, @ReducerBuilder<ChildState, ChildAction> child: () -> Case,
    fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) where Child == _CaseScope<ParentState, ParentAction, Case> {
    self.actionCase = actionCase
    self.toChildState = \.self
    self.toChildAction = AnyCasePath()
    self.child = _CaseScope(
      child: child(), toChildState: toChildState, toChildAction: toChildAction,
      site: CompositionSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}

/// A child on one case of an enum state.
public struct _CaseScope<ParentState, ParentAction, Child: Reducer>: Reducer {
  let child: Child
  let toChildState: AnyCasePath<ParentState, Child.State>
  let toChildAction: AnyCasePath<ParentAction, Child.Action>
  let site: CompositionSite

  public func reduce(into state: inout ParentState, action: ParentAction) -> Effect<ParentAction> {
    _compile().function(&state, action)
  }

  public func _compile() -> CompiledReducer<ParentState, ParentAction> {
    let (child, toChildState, toChildAction, site) = (
      LazyReducer(child, in: EffectScopePlace.here(site)), toChildState, toChildAction, site
    )
    let isFirst = RunOrder.isFirst
    TargetChecks.add(isFirst: isFirst, child: child) { (state: ParentState, action: ParentAction) in
      guard let childAction = toChildAction.extract(from: action) else { return false }
      return toChildState.extract(from: state).map { child.mayMissTarget($0, childAction) } ?? true
    }
    let embed = toChildAction.embedding
    return CompiledReducer { state, action in
      guard let childAction = toChildAction.extract(from: action) else { return .none }
      let effect = toChildState._modify(&state) { child.reduce(into: &$0, action: childAction) }
      guard let effect else {
        if let refusal = site.refusal(isFirst: isFirst, LateText.otherCase) { return .refusal(refusal) }
        site.reportOtherCase("A \"Scope\"", action: action, state: state)
        return .none
      }
      return effect.map(embed)
    }
  }
}

/// Reduces a child whose state is a property with accessors.
@usableFromInline
func reduceChild<Parent, State, Action>(
  _ action: Action, in parent: inout Parent, at keyPath: WritableKeyPath<Parent, State>,
  by child: CompiledReducer<State, Action>
) -> Effect<Action> {
  Reducing.change(&parent, at: keyPath) { state, _ in (child(&state, action), false) }
}
