@_exported public import ConcurrencyExtras
@_exported public import IssueReporting
