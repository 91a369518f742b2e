internal import Dependencies
internal import IssueReporting

/// A child's reducer, compiled at first use, because a feature may be its own child.
@usableFromInline
final class LazyReducer<State, Action> {
  @exclusivity(unchecked) @usableFromInline
  var compiled: CompiledReducer<State, Action>?
  private let compile: () -> CompiledReducer<State, Action>

  /// - Parameters:
  ///   - reducer: The child.
  ///   - surroundings: The enclosing scopes; nil for a child with effects of its own.
  @usableFromInline
  init(_ reducer: some Reducer<State, Action>, in surroundings: EffectScopePlace.Surroundings? = nil) {
    // Dependencies in the child's body are resolved as where the parent's reducer was built.
    let dependencies = withEscapedDependencies { $0 }
    compile = {
      dependencies.yield {
        guard let surroundings else { return EffectScopePlace.inChild { reducer._compile() } }
        return surroundings.compile { reducer._compile() }
      }
    }
  }

  @inlinable
  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    if let compiled { return compiled(&state, action) }
    return compileNow()(&state, action)
  }

  /// Reduces an element of a collection; the result also says whether it is the state that it was, changed in place.
  ///
  /// - Parameters:
  ///   - identify: Reads the identity of an observable element.
  ///   - moment: When the change began; nil outside a store's turn.
  @inlinable
  func reduceElement(
    _ state: inout State, _ action: Action, identify: ((borrowing State) -> ObservableStateID)?, since moment: UInt64?
  ) -> (Effect<Action>, isElementOnly: Bool) {
    guard let identify, let moment else { return (reduce(into: &state, action: action), false) }
    let before = identify(state)
    let effect = reduce(into: &state, action: action)
    return (effect, identify(state).continues(before, since: moment))
  }

  @usableFromInline
  func compileNow() -> CompiledReducer<State, Action> {
    let reducer = compile()
    compiled = reducer
    return reducer
  }
}

/// The source location of a composition, for reports of its misuse.
@usableFromInline
struct CompositionSite: Sendable {
  let fileID: StaticString
  let filePath: StaticString
  let line: UInt
  let column: UInt

  /// Reports an action for a missing child.
  ///
  /// - Parameters:
  ///   - composition: The operator's name, in quotes.
  ///   - what: The kind of the action, and what was missing.
  ///   - action: The action.
  ///   - causes: Possible causes, one paragraph each.
  func report(_ composition: String, _ what: String, action: Any, causes: [String]) {
    let list = causes.map { "• \($0)" }.joined(separator: "\n\n")
    report(
      """
      \(composition) at "\(fileID):\(line)" \(what). …

        Action:
          \(describe(action))

      This is generally considered an application logic error, and can happen for a few reasons:

      \(list)
      """)
  }

  /// Reports an issue of the composition.
  func report(_ message: String) {
    reportIssue(message, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// The labels of an action's cases, without payloads.
  private func describe(_ action: Any) -> String { DebugLabels.of(action) }
}
