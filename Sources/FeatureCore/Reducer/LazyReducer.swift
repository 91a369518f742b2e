internal import Dependencies

/// A child's reducer, compiled at first use, because a feature may be its own child.
@usableFromInline
final class LazyReducer<State, Action> {
  /// Without the exclusivity check: it is copied before the child runs, and stored after it was compiled.
  @exclusivity(unchecked) @usableFromInline
  var compiled: CompiledReducer<State, Action>?
  private let compile: () -> (CompiledReducer<State, Action>, TargetCheck<State, Action>?)
  /// The check of the compiled reducer; see `TargetChecks`.
  private var check: TargetCheck<State, Action>?

  /// - Parameters:
  ///   - reducer: The child.
  ///   - surroundings: The enclosing scopes; nil for a child with effects of its own.
  @usableFromInline
  init<Child: Reducer<State, Action>>(_ reducer: Child, in surroundings: EffectScopePlace.Surroundings? = nil) {
    // Dependencies in the child's body are resolved as where the parent's reducer was built.
    let dependencies = withEscapedDependencies { $0 }
    let isFirst = RunOrder.isFirst
    let gathersChecks = TargetChecks.areGathered
    compile = {
      dependencies.yield {
        TargetChecks.ofChild(isGathering: gathersChecks) {
          RunOrder.child(isFirst: isFirst) {
            guard let surroundings else { return EffectScopePlace.inChild { reducer._compile() } }
            return surroundings.compile { reducer._compile() }
          }
        }
      }
    }
    if let (compiled, check) = RefusalSearch.compileChild(of: Child.self, compile) {
      (self.compiled, self.check) = (compiled, check)
    }
  }

  /// True if the reducer has a check, or is not compiled yet: a child within itself.
  var mayHaveCheck: Bool { compiled == nil || check != nil }

  /// Returns true if a child of this child that the action is for may be missing; compiles the reducer if necessary.
  @usableFromInline
  func mayMissTarget(_ state: State, _ action: Action) -> Bool {
    if compiled == nil { _ = compileNow() }
    return check?.mayMiss(state, action) ?? false
  }

  @inlinable
  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    if let compiled { return compiled(&state, action) }
    return compileNow()(&state, action)
  }

  /// Reduces an element of a collection; the result also says whether it is the state that it was, changed in place.
  ///
  /// - Parameters:
  ///   - identify: Reads the identity of an observable element.
  ///   - moment: When the change began; nil outside a store's turn.
  @inlinable
  func reduceElement(
    _ state: inout State, _ action: Action, identify: ((borrowing State) -> ObservableStateID)?, since moment: UInt64?
  ) -> (Effect<Action>, isElementOnly: Bool) {
    guard let identify, let moment else { return (reduce(into: &state, action: action), false) }
    let before = identify(state)
    let effect = reduce(into: &state, action: action)
    return (effect, identify(state).continues(before, since: moment))
  }

  @usableFromInline
  func compileNow() -> CompiledReducer<State, Action> {
    let (reducer, check) = compile()
    (compiled, self.check) = (reducer, check)
    return reducer
  }
}
