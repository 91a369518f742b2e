/// Several reducers in sequence, type-erased.
///
/// A block of reducers could be one type that nests them all. But the compiler does not specialise code for deeply nested
/// types, so the actions of a feature with a hundred children would look up generic types. Each reducer is therefore
/// erased where its type is known.
public struct _ReducerList<State, Action>: Reducer {
  @usableFromInline
  struct Part {
    @usableFromInline let reduce: (inout State, Action) -> Effect<Action>
    @usableFromInline let routedCount: Int
    @usableFromInline let handledCases: [AnyKeyPath]?
    @usableFromInline let addSteps: (inout [_ReducerStep<State, Action>]) -> Void

    @inlinable
    init<R: Reducer<State, Action>>(_ reducer: R) {
      reduce = { state, action in reducer.reduce(into: &state, action: action) }
      (routedCount, handledCases) = (reducer._routedCount, reducer._handledCases)
      addSteps = { steps in reducer._addSteps(to: &steps) }
    }
  }

  @usableFromInline var parts: [Part] = []

  @inlinable init() {}

  /// The list with one more reducer at the end.
  @inlinable
  consuming func adding<R: Reducer<State, Action>>(_ reducer: R) -> Self {
    parts.append(Part(reducer))
    return self
  }

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    var effect = Effect<Action>.none
    for part in parts where !effect.isRefusal { effect = effect.merge(with: part.reduce(&state, action)) }
    return effect
  }

  @inlinable public var _routedCount: Int { parts.reduce(0) { $0 + $1.routedCount } }

  @inlinable public func _addSteps(to steps: inout [_ReducerStep<State, Action>]) {
    RunOrder.forEach(parts, handling: \.handledCases) { $0.addSteps(&steps) }
  }

  @inlinable public func _compile() -> CompiledReducer<State, Action> {
    var steps: [_ReducerStep<State, Action>] = []
    _addSteps(to: &steps)
    guard _routedCount < RoutedReducers<State, Action>.threshold else { return RoutedReducers.compile(steps) }
    let compiled = steps.map(\.reducer)
    return CompiledReducer { state, action in
      var effect = Effect<Action>.none
      for reducer in compiled where !effect.isRefusal { effect = effect.merge(with: reducer(&state, action)) }
      return effect
    }
  }
}

extension ReducerBuilder {
  /// The fourth reducer of a block makes a list of it.
  @inlinable
  public static func buildPartialBlock<
    R0: Reducer<State, Action>, R1: Reducer<State, Action>, R2: Reducer<State, Action>, R3: Reducer<State, Action>
  >(accumulated: _Sequence<_Sequence<R0, R1>, R2>, next: R3) -> _ReducerList<State, Action> {
    _ReducerList().adding(accumulated.first.first).adding(accumulated.first.second).adding(accumulated.second)
      .adding(next)
  }

  @inlinable
  public static func buildPartialBlock<R: Reducer<State, Action>>(
    accumulated: consuming _ReducerList<State, Action>, next: R
  ) -> _ReducerList<State, Action> {
    accumulated.adding(next)
  }
}
