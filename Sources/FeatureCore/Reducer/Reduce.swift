/// A reducer that calls a function.
public struct Reduce<State, Action>: Reducer {
  @usableFromInline let function: (inout State, Action) -> Effect<Action>
  /// Tells a search whether the reducer may refuse actions; nil if it does not.
  @usableFromInline let search: (() -> Void)?
  /// The check of a reducer whose type is erased; see `TargetChecks`.
  @usableFromInline let check: TargetCheck<State, Action>?

  /// Creates a reducer that calls `reduce`.
  @inlinable
  public init(_ reduce: @escaping (_ state: inout State, _ action: Action) -> Effect<Action>) {
    (function, search, check) = (reduce, nil, nil)
  }

  /// Creates a reducer that calls `reduce`, which may refuse actions by throwing the reason; see ``Refusal``. The closure
  /// names the type of its error: `Reduce { state, action throws(Refusal) in … }`.
  ///
  /// The store keeps its state before each action, of whatever reducer: O(1), and what the action then changes is copied
  /// once more, such as the whole of a plain array.
  ///
  /// - Note: A reducer must exist when the store is created: `onChange` with a closure that returns reducers, and a
  ///   `reduce(into:action:)` that creates others, cannot contain reducers that refuse.
  @_disfavoredOverload
  public init(_ reduce: @escaping (_ state: inout State, _ action: Action) throws(Refusal) -> Effect<Action>) {
    function = { state, action in
      do throws(Refusal) { return try reduce(&state, action) } catch { return .refusal(error) }
    }
    (search, check) = (RefusalSearch.found, nil)
  }

  /// Creates a reducer that erases the type of another one.
  public init(_ reducer: some Reducer<State, Action>) {
    // Whether a hub will compile this one is not known yet.
    let (compiled, check) = TargetChecks.ofChild(isGathering: true) {
      RunOrder.child(isFirst: false) { reducer._compile() }
    }
    (function, self.check) = (compiled.function, check)
    search = { _ = TargetChecks.ofChild { reducer._compile() } }
  }

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    function(&state, action)
  }

  @inlinable
  public func _compile() -> CompiledReducer<State, Action> {
    if let search, RefusalSearch.isActive { search() }
    if let check { TargetChecks.add(check) }
    return CompiledReducer(function)
  }
}

/// A reducer that does nothing.
public struct EmptyReducer<State, Action>: Reducer {
  /// Creates a reducer that does nothing.
  public init() {}

  public func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }

  public func _compile() -> CompiledReducer<State, Action> { .none }

  public var _handledCases: [AnyKeyPath]? { [] }
}

/// Several reducers combined into one, for example to apply a modifier to all of them.
public struct CombineReducers<State, Action, Reducers: Reducer<State, Action>>: Reducer {
  @usableFromInline let reducers: Reducers

  /// Runs the reducers in order on the same state and merges their effects.
  @inlinable
  public init(@ReducerBuilder<State, Action> _ build: () -> Reducers) {
    reducers = build()
  }

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    reducers.reduce(into: &state, action: action)
  }

  @inlinable public func _compile() -> CompiledReducer<State, Action> { reducers._compile() }

  @inlinable public var _routedCount: Int { reducers._routedCount }

  @inlinable public var _handledCases: [AnyKeyPath]? { reducers._handledCases }

  @inlinable public func _addSteps(to steps: inout [_ReducerStep<State, Action>]) { reducers._addSteps(to: &steps) }
}

/// A reducer, or none.
extension Optional: Reducer where Wrapped: Reducer {
  public func reduce(into state: inout Wrapped.State, action: Wrapped.Action) -> Effect<Wrapped.Action> {
    self?.reduce(into: &state, action: action) ?? .none
  }

  @inlinable public func _compile() -> CompiledReducer<Wrapped.State, Wrapped.Action> {
    self?._compile() ?? .none
  }
}
