@_exported public import IssueReporting
