public import Dependencies

extension Reducer {
  /// Overrides a dependency for this reducer and its effects.
  public func dependency<Value: Sendable>(
    _ keyPath: WritableKeyPath<DependencyValues, Value>, _ value: Value
  ) -> _DependencyKeyWritingReducer<Self> {
    _DependencyKeyWritingReducer(base: self) { $0[keyPath: keyPath] = value }
  }

  /// Overrides a dependency that is its own key.
  public func dependency<Value: TestDependencyKey>(_ value: Value) -> _DependencyKeyWritingReducer<Self>
  where Value.Value == Value {
    _DependencyKeyWritingReducer(base: self) { $0[Value.self] = value }
  }

  /// Changes a dependency for this reducer and its effects.
  public func transformDependency<Value>(
    _ keyPath: WritableKeyPath<DependencyValues, Value>, transform: @escaping (inout Value) -> Void
  ) -> _DependencyKeyWritingReducer<Self> {
    _DependencyKeyWritingReducer(base: self) { transform(&$0[keyPath: keyPath]) }
  }
}

/// A reducer with overridden dependencies.
public struct _DependencyKeyWritingReducer<Base: Reducer>: Reducer {
  let base: Base
  let update: (inout DependencyValues) -> Void

  init(base: Base, update: @escaping (inout DependencyValues) -> Void) {
    self.base = base
    self.update = update
  }

  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    _compile().function(&state, action)
  }

  public func _compile() -> CompiledReducer<Base.State, Base.Action> {
    let update = update
    let compiled = withDependencies(update) { base._compile() }
    return CompiledReducer { state, action in withDependencies(update) { compiled(&state, action) } }
  }

  // Chained overrides are applied together, the outer ones first, so that the innermost wins.

  /// Overrides another dependency.
  public func dependency<Value: Sendable>(
    _ keyPath: WritableKeyPath<DependencyValues, Value>, _ value: Value
  ) -> Self {
    adding { $0[keyPath: keyPath] = value }
  }

  /// Changes another dependency.
  public func transformDependency<Value>(
    _ keyPath: WritableKeyPath<DependencyValues, Value>, transform: @escaping (inout Value) -> Void
  ) -> Self {
    adding { transform(&$0[keyPath: keyPath]) }
  }

  private func adding(_ outer: @escaping (inout DependencyValues) -> Void) -> Self {
    let inner = update
    return Self(base: base) {
      outer(&$0)
      inner(&$0)
    }
  }
}
