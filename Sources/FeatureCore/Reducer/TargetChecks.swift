/// Tells beforehand whether the target of an action may be gone.
///
/// A composition whose child is missing can refuse the action itself if nothing has changed the state before it. Behind
/// other reducers it cannot, so a hub asks its check before it reduces an action. The check may say so too often: then
/// the hub keeps the state, reduces the action, and returns to the state if a composition refuses it.
@usableFromInline
package final class TargetCheck<State, Action> {
  private let check: (State, Action) -> Bool

  init(_ check: @escaping (State, Action) -> Bool) { self.check = check }

  /// Returns true if a child that the action is for may be missing in the state.
  @usableFromInline
  func mayMiss(_ state: State, _ action: Action) -> Bool { check(state, action) }
}

/// The checks of the compositions of a reducer, gathered while a hub compiles it.
///
/// Unchecked: it is filled by the synchronous call that compiles the reducer, on one thread.
@usableFromInline
package final class TargetChecks: @unchecked Sendable {
  /// Nil while a reducer is compiled for another owner than a hub.
  @TaskLocal private static var current: TargetChecks?

  /// Boxes of several types: reducers of earlier generations are compiled within others of other types.
  private var checks: [AnyObject] = []
  /// True if a composition, or one within its child, runs behind reducers that may change the state.
  private var isNeeded = false

  private init() {}

  /// True while checks are gathered.
  @usableFromInline static var areGathered: Bool { current != nil }

  /// Compiles the reducer of a hub.
  ///
  /// - Returns: The reducer, and its check; nil if each composition can refuse late actions itself.
  @usableFromInline
  package static func gather<State, Action>(
    _ compile: () -> CompiledReducer<State, Action>
  ) -> (CompiledReducer<State, Action>, TargetCheck<State, Action>?) {
    let checks = TargetChecks()
    let reducer = $current.withValue(checks, operation: compile)
    return (reducer, checks.isNeeded ? checks.combined() : nil)
  }

  /// Compiles a child.
  ///
  /// - Parameter isGathering: True if its checks are wanted: also for a child that is compiled after its parent.
  /// - Returns: The child's reducer, and its check if it has one.
  @usableFromInline
  static func ofChild<State, Action>(
    isGathering: Bool = areGathered, _ compile: () -> CompiledReducer<State, Action>
  ) -> (CompiledReducer<State, Action>, TargetCheck<State, Action>?) {
    guard isGathering else { return (compile(), nil) }
    let checks = TargetChecks()
    let reducer = $current.withValue(checks, operation: compile)
    if checks.isNeeded { current?.isNeeded = true }
    return (reducer, checks.combined())
  }

  /// Adds the check of a composition whose child may be missing.
  ///
  /// - Parameters:
  ///   - isFirst: True if no reducer that may change the state runs before it.
  ///   - child: The child, which may have a check of its own.
  ///   - mayMiss: Returns true if the action's target may be gone.
  @usableFromInline
  static func add<State, Action, ChildState, ChildAction>(
    isFirst: Bool, child: LazyReducer<ChildState, ChildAction>, _ mayMiss: @escaping (State, Action) -> Bool
  ) {
    guard let current, !isFirst || child.mayHaveCheck else { return }
    if !isFirst { current.isNeeded = true }
    current.checks.append(TargetCheck(mayMiss))
  }

  /// Adds the check of a reducer that was compiled before, as one whose children are not first.
  @usableFromInline
  static func add<State, Action>(_ check: TargetCheck<State, Action>) {
    guard let current else { return }
    current.isNeeded = true
    current.checks.append(check)
  }

  /// Adds the check of a child that is always there.
  @usableFromInline
  static func add<State, Action, ChildState, ChildAction>(
    _ child: TargetCheck<ChildState, ChildAction>?,
    _ target: @escaping (State, Action) -> (state: ChildState, action: ChildAction)?
  ) {
    guard let current, let child else { return }
    current.checks.append(
      TargetCheck<State, Action> { state, action in
        target(state, action).map { child.mayMiss($0.state, $0.action) } ?? false
      })
  }

  private func combined<State, Action>() -> TargetCheck<State, Action>? {
    let checks = checks.compactMap { $0 as? TargetCheck<State, Action> }
    guard checks.count > 1 else { return checks.first }
    return TargetCheck { state, action in checks.contains { $0.mayMiss(state, action) } }
  }
}
