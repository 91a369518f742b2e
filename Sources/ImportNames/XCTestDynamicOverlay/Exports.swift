// The earlier module name of `IssueReporting`, so that its import line compiles.
@_exported public import IssueReporting
