internal import IssueReporting

/// The origin of a request for a dependency.
struct DependencyAccess: Sendable {
  /// The property's name in `DependencyValues`; empty for a dependency that was requested by its key.
  var name: StaticString = ""
  /// The location of the declaration that requests the dependency.
  var place: IssueLocation?
}
