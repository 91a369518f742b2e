extension Reducer {
  /// Ignores actions that arrive too late.
  ///
  /// Several users act on one state, each on the last version that they saw: one ticks a todo that another has just
  /// deleted. A hub refuses such an action where `forEach` or `ifLet` misses its target, and its sender learns that. A
  /// feature whose users need not know ignores it, in a hub and in one process alike:
  ///
  /// ```swift
  /// Reduce { state, action in … }
  ///   .forEach(\.todos, action: \.todos) { Todo() }
  ///   .passingOver { state, action in
  ///     guard case .todos(.element(let id, _)) = action else { return false }
  ///     return state.todos[id: id] == nil
  ///   }
  /// ```
  ///
  /// - Parameter isLate: Returns true if the target of the action no longer exists. It is called for each action.
  @inlinable
  public func passingOver(
    _ isLate: @escaping (_ state: State, _ action: Action) -> Bool
  ) -> some Reducer<State, Action> {
    _PassingOverReducer(base: self, isLate: isLate)
  }
}

/// A reducer that ignores actions which arrive too late.
public struct _PassingOverReducer<Base: Reducer>: Reducer {
  @usableFromInline let base: Base
  @usableFromInline let isLate: (Base.State, Base.Action) -> Bool

  @usableFromInline
  init(base: Base, isLate: @escaping (Base.State, Base.Action) -> Bool) { (self.base, self.isLate) = (base, isLate) }

  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    isLate(state, action) ? .none : base.reduce(into: &state, action: action)
  }

  @inlinable
  public func _compile() -> CompiledReducer<Base.State, Base.Action> {
    let (base, isLate) = (base._compile(), isLate)
    return CompiledReducer { state, action in isLate(state, action) ? .none : base(&state, action) }
  }
}
