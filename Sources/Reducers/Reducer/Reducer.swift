/// How a feature's state evolves: a function of state and action, put together from smaller ones.
///
/// Give a feature either a `body` of other reducers, or a `reduce(into:action:)` of its own, not both.
///
/// ```swift
/// struct Counter: Reducer {
///   struct State { var count = 0 }
///   enum Action { case incrementButtonTapped }
///
///   var body: some ReducerOf<Self> {
///     Reduce { state, action in
///       switch action {
///       case .incrementButtonTapped:
///         state.count += 1
///         return .none
///       }
///     }
///   }
/// }
/// ```
public protocol Reducer<State, Action> {
  /// What the feature knows.
  associatedtype State
  /// What can happen in the feature.
  associatedtype Action
  /// The type of `body`; `Never` for a reducer that implements `reduce(into:action:)`.
  associatedtype Body

  /// Changes the state as the action asks, and returns the effect to run in the outside world.
  func reduce(into state: inout State, action: Action) -> Effect<Action>

  /// The reducers that this one is made of, run in order on the same state.
  @ReducerBuilder<State, Action> var body: Body { get }

  /// The reducer as one function, with everything looked up that does not depend on state or action.
  ///
  /// A store calls this once, so per action no body is rebuilt and no key path is walked that has a fixed offset.
  func _compile() -> (inout State, Action) -> Effect<Action>

  /// How many of the reducers in a row that this one is are for one case of the action each.
  var _routedCount: Int { get }

  /// Adds the reducers in a row that this one is, compiled.
  func _addSteps(to steps: inout [_ReducerStep<State, Action>])
}

extension Reducer {
  @inlinable public var _routedCount: Int { 0 }

  @inlinable public func _addSteps(to steps: inout [_ReducerStep<State, Action>]) {
    steps.append(_ReducerStep(_compile()))
  }
}

/// A reducer with the state and action of another: `var body: some ReducerOf<Self>`.
public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action>

extension Reducer where Body == Never {
  /// Not there: this reducer implements `reduce(into:action:)`.
  public var body: Body {
    preconditionFailure("\(Self.self) has no body; it implements reduce(into:action:)")
  }

  /// This reducer's own `reduce(into:action:)`.
  @inlinable
  public func _compile() -> (inout State, Action) -> Effect<Action> {
    { state, action in reduce(into: &state, action: action) }
  }
}

extension Reducer where Body: Reducer<State, Action> {
  /// Runs the body.
  @inlinable
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    body.reduce(into: &state, action: action)
  }

  /// The compiled body.
  @inlinable
  public func _compile() -> (inout State, Action) -> Effect<Action> {
    body._compile()
  }
}
