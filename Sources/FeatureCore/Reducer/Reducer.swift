/// A function of state and action that evolves a feature's state. It is composed of smaller ones.
///
/// A feature implements either a `body` of other reducers or `reduce(into:action:)`, not both.
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
public protocol Reducer<State, Action>: SendableMetatype {
  /// The data of the feature.
  associatedtype State
  /// The events of the feature.
  associatedtype Action
  /// The type of `body`; `Never` for a reducer that implements `reduce(into:action:)`.
  associatedtype Body

  /// Changes the state according to the action, and returns the effect to run in the outside world.
  func reduce(into state: inout State, action: Action) -> Effect<Action>

  /// The reducers that this one consists of, run in order on the same state.
  @ReducerBuilder<State, Action> var body: Body { get }

  /// The compiled reducer.
  ///
  /// A store calls this once. Per action, no body is rebuilt, and key paths with a fixed offset are not walked.
  func _compile() -> CompiledReducer<State, Action>

  /// The number of reducers in this sequence that handle a single case of the action.
  var _routedCount: Int { get }

  /// The cases of the actions that this reducer handles; nil if it may handle any.
  var _handledCases: [AnyKeyPath]? { get }

  /// Appends the compiled reducers of this sequence.
  func _addSteps(to steps: inout [_ReducerStep<State, Action>])
}

extension Reducer {
  @inlinable public var _routedCount: Int { 0 }

  @inlinable public var _handledCases: [AnyKeyPath]? { nil }

  @inlinable public func _addSteps(to steps: inout [_ReducerStep<State, Action>]) {
    steps.append(_ReducerStep(_compile()))
  }
}

/// A reducer with the state and action of another: `var body: some ReducerOf<Self>`.
public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action>

extension Reducer where Body == Never {
  /// Unavailable: this reducer implements `reduce(into:action:)`.
  public var body: Body {
    preconditionFailure("\(Self.self) has no body; it implements reduce(into:action:)")
  }

  /// This reducer's own `reduce(into:action:)`.
  @inlinable
  public func _compile() -> CompiledReducer<State, Action> {
    RefusalSearch.look(inside: self)
    return CompiledReducer { state, action in reduce(into: &state, action: action) }
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
  public func _compile() -> CompiledReducer<State, Action> {
    body._compile()
  }
}
