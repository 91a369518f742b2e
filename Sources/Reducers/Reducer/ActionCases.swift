internal import CasePaths

/// The cases of an action whose type can list them and tell them apart.
struct ActionCases<Action> {
  /// All cases. A key path that leads further, into a case's payload, is not among them.
  let keyPaths: Set<PartialCaseKeyPath<Action>>
  /// The case of an action.
  let keyPath: (Action) -> PartialCaseKeyPath<Action>

  /// Nil when the type is no enum with case paths that `@CasePathable` could have written.
  init?() {
    guard let type = Action.self as? any CasePathIterable.Type,
      let cases = Self.cases(of: type)
    else { return nil }
    (keyPaths, keyPath) = cases
  }

  private typealias Cases = (keyPaths: Set<PartialCaseKeyPath<Action>>, keyPath: (Action) -> PartialCaseKeyPath<Action>)

  private static func cases<Root: CasePathIterable>(of type: Root.Type) -> Cases? {
    guard let paths = Root.allCasePaths as? any CasePathReflectable<Root> else { return nil }
    let keyPaths = Root.allCasePaths.compactMap { $0 as AnyKeyPath as? PartialCaseKeyPath<Action> }
    return (
      Set(keyPaths),
      { action in
        guard let root = action as? Root, let path = paths[root] as AnyKeyPath as? PartialCaseKeyPath<Action>
        else { preconditionFailure("\(Root.self) is \(Action.self)") }
        return path
      }
    )
  }
}
