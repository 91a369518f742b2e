internal import IssueReporting

/// Tells of a dependency that a test used without overriding it.
func reportUnimplemented(_ name: String) {
  reportIssue(
    "a test used the dependency “\(name)” without overriding it; override it with withDependencies",
    fileID: "Dependencies", line: 0)
}
