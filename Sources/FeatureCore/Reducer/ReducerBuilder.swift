/// Combines the reducers of a `body`, in order.
@resultBuilder
public enum ReducerBuilder<State, Action> {
  // The second parameter prevents the compiler from opening an existential, whose type is not a reducer.
  @inlinable public static func buildExpression<R: Reducer<State, Action>>(_ reducer: R, _: R.Type = R.self) -> R {
    reducer
  }

  /// A type-erased reducer: `let child: any ReducerOf<Child>`.
  @_disfavoredOverload
  public static func buildExpression(_ reducer: any Reducer<State, Action>) -> Reduce<State, Action> {
    Reduce(reducer)
  }

  @inlinable public static func buildBlock() -> EmptyReducer<State, Action> { EmptyReducer() }
  @inlinable public static func buildPartialBlock<R: Reducer<State, Action>>(first: R) -> R { first }

  @inlinable public static func buildPartialBlock<R0: Reducer<State, Action>, R1: Reducer<State, Action>>(
    accumulated: R0, next: R1
  ) -> _Sequence<R0, R1> {
    _Sequence(first: accumulated, second: next)
  }

  @inlinable public static func buildOptional<R: Reducer<State, Action>>(_ wrapped: R?) -> _OptionalReducer<R> {
    _OptionalReducer(wrapped: wrapped)
  }

  @inlinable public static func buildEither<R0: Reducer<State, Action>, R1: Reducer<State, Action>>(
    first: R0
  ) -> _Conditional<R0, R1> {
    .first(first)
  }

  @inlinable public static func buildEither<R0: Reducer<State, Action>, R1: Reducer<State, Action>>(
    second: R1
  ) -> _Conditional<R0, R1> {
    .second(second)
  }

  @inlinable public static func buildArray<R: Reducer<State, Action>>(_ reducers: [R]) -> _SequenceMany<R> {
    _SequenceMany(reducers: reducers)
  }

  @inlinable public static func buildLimitedAvailability<R: Reducer<State, Action>>(_ wrapped: R) -> Reduce<
    State, Action
  > {
    Reduce(wrapped)
  }

  /// Two reducers in sequence.
  public struct _Sequence<R0: Reducer, R1: Reducer>: Reducer
  where R0.State == R1.State, R0.Action == R1.Action {
    @usableFromInline let first: R0
    @usableFromInline let second: R1

    @inlinable init(first: R0, second: R1) {
      (self.first, self.second) = (first, second)
    }

    public func reduce(into state: inout R0.State, action: R0.Action) -> Effect<R0.Action> {
      let effect = first.reduce(into: &state, action: action)
      if effect.isRefusal { return effect }
      return effect.merge(with: second.reduce(into: &state, action: action))
    }

    @inlinable public var _routedCount: Int { first._routedCount + second._routedCount }

    @inlinable public var _handledCases: [AnyKeyPath]? {
      first._handledCases.flatMap { first in second._handledCases.map { first + $0 } }
    }

    @inlinable public func _addSteps(to steps: inout [_ReducerStep<R0.State, R0.Action>]) {
      first._addSteps(to: &steps)
      RunOrder.after(first._handledCases) { second._addSteps(to: &steps) }
    }

    @inlinable public func _compile() -> CompiledReducer<R0.State, R0.Action> {
      guard _routedCount < RoutedReducers<R0.State, R0.Action>.threshold else {
        var steps: [_ReducerStep<R0.State, R0.Action>] = []
        _addSteps(to: &steps)
        return RoutedReducers.compile(steps)
      }
      let (first, second) = (self.first._compile(), RunOrder.after(self.first._handledCases) { self.second._compile() })
      return CompiledReducer { state, action in
        let effect = first(&state, action)
        if effect.isRefusal { return effect }
        return effect.merge(with: second(&state, action))
      }
    }
  }

  /// Any number of reducers of one type in sequence.
  public struct _SequenceMany<R: Reducer>: Reducer {
    @usableFromInline let reducers: [R]

    @inlinable init(reducers: [R]) {
      self.reducers = reducers
    }

    public func reduce(into state: inout R.State, action: R.Action) -> Effect<R.Action> {
      reducers.reduce(.none) { $0.isRefusal ? $0 : $0.merge(with: $1.reduce(into: &state, action: action)) }
    }

    @inlinable public var _routedCount: Int { reducers.reduce(0) { $0 + $1._routedCount } }

    @inlinable public func _addSteps(to steps: inout [_ReducerStep<R.State, R.Action>]) {
      RunOrder.forEach(reducers, handling: \._handledCases) { $0._addSteps(to: &steps) }
    }

    @inlinable public func _compile() -> CompiledReducer<R.State, R.Action> {
      guard _routedCount < RoutedReducers<R.State, R.Action>.threshold else {
        var steps: [_ReducerStep<R.State, R.Action>] = []
        _addSteps(to: &steps)
        return RoutedReducers.compile(steps)
      }
      var compiled: [CompiledReducer<R.State, R.Action>] = []
      RunOrder.forEach(reducers, handling: \._handledCases) { compiled.append($0._compile()) }
      return CompiledReducer { state, action in
        var effect = Effect<R.Action>.none
        for reducer in compiled where !effect.isRefusal { effect = effect.merge(with: reducer(&state, action)) }
        return effect
      }
    }
  }

  /// One of two reducers.
  public enum _Conditional<R0: Reducer, R1: Reducer>: Reducer
  where R0.State == R1.State, R0.Action == R1.Action {
    case first(R0)
    case second(R1)

    public func reduce(into state: inout R0.State, action: R0.Action) -> Effect<R0.Action> {
      switch self {
      case .first(let reducer): reducer.reduce(into: &state, action: action)
      case .second(let reducer): reducer.reduce(into: &state, action: action)
      }
    }

    @inlinable public func _compile() -> CompiledReducer<R0.State, R0.Action> {
      switch self {
      case .first(let reducer): reducer._compile()
      case .second(let reducer): reducer._compile()
      }
    }
  }

  /// An optional reducer.
  public struct _OptionalReducer<R: Reducer>: Reducer {
    @usableFromInline let wrapped: R?

    @inlinable init(wrapped: R?) {
      self.wrapped = wrapped
    }

    public func reduce(into state: inout R.State, action: R.Action) -> Effect<R.Action> {
      wrapped?.reduce(into: &state, action: action) ?? .none
    }

    @inlinable public func _compile() -> CompiledReducer<R.State, R.Action> {
      wrapped?._compile() ?? .none
    }
  }
}
