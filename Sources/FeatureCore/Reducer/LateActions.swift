/// How a store treats actions for children that are gone.
///
/// In one process such an action is an error of the program, and it is reported where the child is missing. In a hub it
/// is an ordinary event: a client acts on the last state that it has seen. It is refused there, at the place where the
/// child is missing, so that an action that is not late costs nothing.
@usableFromInline
package enum LateActions {
  /// They are reported as issues, and the other reducers receive them.
  case reported
  /// They are refused, if no reducer has run before: without a checkpoint nothing can be taken back.
  case refusedBeforeChanges
  /// They are refused; what other reducers have changed is taken back.
  case refused
}

/// The reducers that run before the one being compiled, as far as they concern late actions.
@usableFromInline
enum RunOrder {
  private struct Predecessors: Sendable {
    /// False if a reducer that may handle any action runs before.
    var areSelective = true
    /// The hash values of the cases of the actions that others before handle. If two are equal, a child is only taken
    /// for one that is not first.
    var cases: Set<Int> = []
  }

  /// Nil for a reducer that is compiled while another one runs, which may have changed anything.
  @TaskLocal private static var predecessors: Predecessors?

  /// True if no reducer runs before the one being compiled that may change the state on an action for its children.
  ///
  /// A `Scope` before may handle the same case, or one within it.
  @usableFromInline static var isFirst: Bool { predecessors.map { $0.areSelective && $0.cases.isEmpty } ?? false }

  /// Compiles the reducer of a store.
  static func root<Result>(_ compile: () -> Result) -> Result {
    $predecessors.withValue(Predecessors(), operation: compile)
  }

  /// Compiles a child. Of the reducers before its parent, only whether there are any matters.
  static func child<Result>(isFirst: Bool, _ compile: () -> Result) -> Result {
    $predecessors.withValue(isFirst ? Predecessors() : nil, operation: compile)
  }

  /// Compiles a reducer that runs after another one.
  ///
  /// - Parameter cases: The cases that the other one handles; nil if it may handle any.
  @usableFromInline
  static func after<Result>(_ cases: [AnyKeyPath]?, _ compile: () -> Result) -> Result {
    var predecessors = predecessors
    if let cases { predecessors?.cases.formUnion(cases.map(\.hashValue)) } else { predecessors?.areSelective = false }
    return $predecessors.withValue(predecessors, operation: compile)
  }

  /// Compiles reducers that run one after another.
  ///
  /// - Parameter cases: The cases that each handles; nil if it may handle any.
  @usableFromInline
  static func forEach<Part>(_ parts: [Part], handling cases: (Part) -> [AnyKeyPath]?, _ compile: (Part) -> Void) {
    var handled: [AnyKeyPath]? = []
    for part in parts {
      after(handled) { compile(part) }
      handled = handled.flatMap { handled in cases(part).map { handled + $0 } }
    }
  }

  /// Compiles the child of a `Scope`, which is not first if another one before handles the same case.
  @usableFromInline
  static func scope<Result>(_ actionCase: AnyKeyPath?, _ compile: () -> Result) -> Result {
    guard let predecessors else { return compile() }
    let isAlone = actionCase.map { !predecessors.cases.contains($0.hashValue) } ?? predecessors.cases.isEmpty
    return child(isFirst: predecessors.areSelective && isAlone, compile)
  }
}

extension CompositionSite {
  /// The refusal of an action for a child that is gone; nil if that is an issue.
  ///
  /// - Parameters:
  ///   - isFirst: True if no reducer has run before.
  ///   - reason: The reason, for people.
  @usableFromInline
  func refusal(isFirst: Bool, _ reason: @autoclosure () -> String) -> Refusal? {
    switch EffectPlaces.lateActions {
    case .reported: return nil
    case .refusedBeforeChanges where !isFirst: return nil
    case .refusedBeforeChanges, .refused: return Refusal(late: reason())
    }
  }
}

/// The reasons for which late actions are refused.
@usableFromInline
enum LateText {
  @usableFromInline static var element: String { "its element is gone" }
  @usableFromInline static func taken(_ id: StackElementID) -> String { "another element has the id \(id) already" }
  @usableFromInline static var child: String { "what it is for is not shown any more" }
  @usableFromInline static var otherCase: String { "something else is shown now" }
}
