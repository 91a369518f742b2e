internal import IssueReporting

/// Who asks for a dependency.
struct DependencyAccess: Sendable {
  /// The property's name in `DependencyValues`; empty for a dependency that was asked for by its key.
  var name: StaticString = ""
  /// Where the dependency was declared that asks.
  var place: IssueLocation?
}
