internal import Dependencies

/// A reducer as one function, in which everything that does not depend on state or action is already looked up.
///
/// A structure, because generic code that passes functions on adds thunks to them.
public struct CompiledReducer<State, Action> {
  @usableFromInline package let function: (inout State, Action) -> Effect<Action>
  /// The routes of `function`, if it is a sequence of reducers. A caller that knows the types follows them itself: an
  /// action that passes through one more function is written to memory once more, and reading it back at once takes
  /// longer than a small reducer. `function` retains them, so the structure must be stored while it is called; a
  /// temporary one is called by `function`.
  @usableFromInline let routes: Unmanaged<RoutedReducers<State, Action>.Routes>?
  /// True if the reducer or one of its children may refuse actions. Known for the reducer of a store only.
  @usableFromInline package var mayRefuse = false

  /// Compiles the reducer of a store; dependencies that it looks up during initialization are those of this call.
  @inlinable
  public init(_ reducer: some Reducer<State, Action>) {
    self = RefusalSearch.compile { reducer._compile() }
  }

  /// Wraps a reducer that is already a function.
  @inlinable
  package init(_ reduce: @escaping (_ state: inout State, _ action: Action) -> Effect<Action>) {
    (function, routes) = (reduce, nil)
  }

  @inlinable
  init(_ routes: RoutedReducers<State, Action>.Routes) {
    function = { state, action in routes.reduce(&state, action) }
    self.routes = .passUnretained(routes)
  }

  /// Compiles a reducer that runs with the dependencies of this call, also those that it reads while reducing.
  ///
  /// Without overrides this adds no cost.
  package init(inPlaceOfCreation reducer: some Reducer<State, Action>) {
    let compiled = Self(reducer)
    let dependencies = withEscapedDependencies { $0 }
    self =
      dependencies.isEmpty
      ? compiled : compiled.wrapped { state, action in dependencies.yield { compiled(&state, action) } }
  }

  /// A function around this reducer.
  package func wrapped(_ reduce: @escaping (_ state: inout State, _ action: Action) -> Effect<Action>) -> Self {
    var wrapped = Self(reduce)
    wrapped.mayRefuse = mayRefuse
    return wrapped
  }

  /// A reducer that does nothing.
  @inlinable package static var none: Self { Self { _, _ in .none } }

  /// Reduces an action.
  @inlinable @inline(__always)
  package func callAsFunction(_ state: inout State, _ action: Action) -> Effect<Action> {
    self(&state, action, along: route(of: action))
  }

  /// The reducers that handle an action's case, if this is a sequence and the caller knows the types.
  @inlinable @inline(__always)
  func route(of action: Action) -> Unmanaged<RoutedReducers<State, Action>.Link>? {
    guard _isConcrete(Action.self) else { return nil }
    return routes?._withUnsafeGuaranteedRef { $0.route(of: action) }
  }

  /// Reduces an action whose route is known.
  @inlinable @inline(__always)
  func callAsFunction(
    _ state: inout State, _ action: Action, along route: Unmanaged<RoutedReducers<State, Action>.Link>?
  ) -> Effect<Action> {
    guard let route else { return function(&state, action) }
    return route._withUnsafeGuaranteedRef { $0.run(&state, action) }
  }
}
