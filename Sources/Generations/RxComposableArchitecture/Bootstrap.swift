internal import ConcurrencyExtras
public import FeatureCore
internal import Synchronization

/// Mocks of the environments and dependencies of a running feature, in debug builds. They show, for example, how a page
/// handles a failed request, without restarting the app.
///
/// ```swift
/// Bootstrap.mock(environment: PageEnvironment(request: { Effect(error: ServerError()) }))
/// Bootstrap.clear(environment: PageEnvironment.self)
/// ```
///
/// There is one mock per type. In release builds mocks have no effect.
public enum Bootstrap {
  private static let mocks = Mutex<[ObjectIdentifier: UncheckedSendable<Any>]>([:])

  /// Replaces the environments of a type from the next action on.
  public static func mock<Environment>(environment: Environment) {
    precondition(Environment.self != Void.self, "There is nothing to mock in an environment that is Void")
    self[Environment.self] = environment
  }

  /// Removes the mock of an environment.
  public static func clear<Environment>(environment _: Environment.Type) { self[Environment.self] = nil }

  /// Replaces the reducers of a type in stores from the next action on, by the same one with other dependencies.
  public static func mock<R: ReducerProtocol, Mocked: ReducerProtocol>(
    for reducer: R, _ withMock: @escaping (R) -> Mocked
  ) where Mocked.State == R.State, Mocked.Action == R.Action {
    self[R.self] = Reduce<R.State, R.Action>(withMock(reducer))
  }

  /// Removes the mock of a reducer.
  public static func clear<R: ReducerProtocol>(for reducer: R.Type) { self[R.self] = nil }

  /// Removes all mocks.
  public static func clearAll() { mocks.withLock { $0 = [:] } }

  static func environment<Environment>() -> Environment? { self[Environment.self] as? Environment }

  static func reducer<R: ReducerProtocol>(for _: R.Type) -> Reduce<R.State, R.Action>? {
    self[R.self] as? Reduce<R.State, R.Action>
  }

  private static subscript(type: Any.Type) -> Any? {
    get {
      #if DEBUG
        return mocks.withLock { $0.isEmpty ? nil : $0[ObjectIdentifier(type)]?.value }
      #else
        return nil
      #endif
    }
    set {
      let newValue = newValue.map { UncheckedSendable($0) }
      mocks.withLock { $0[ObjectIdentifier(type)] = newValue }
    }
  }
}

/// A reducer that a mock can replace while it runs.
struct Bootstrapped<Base: ReducerProtocol>: ReducerProtocol {
  let base: Base

  func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    _compile().function(&state, action)
  }

  func _compile() -> CompiledReducer<Base.State, Base.Action> {
    let compiled = base._compile()
    return CompiledReducer { state, action in
      Bootstrap.reducer(for: Base.self)?.reduce(into: &state, action: action) ?? compiled(&state, action)
    }
  }
}
