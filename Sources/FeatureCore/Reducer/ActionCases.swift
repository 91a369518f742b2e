internal import CasePaths

/// The cases of an action type that can list and distinguish them.
struct ActionCases<Action> {
  /// All cases. Key paths into a case's payload are not included.
  let keyPaths: Set<PartialCaseKeyPath<Action>>
  /// The case of an action.
  let keyPath: (Action) -> PartialCaseKeyPath<Action>

  /// Returns nil if the type is not an enum with case paths as `@CasePathable` generates them.
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
