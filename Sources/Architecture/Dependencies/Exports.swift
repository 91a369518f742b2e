@_exported public import CombineSchedulers
@_exported public import ConcurrencyExtras
@_exported public import IssueReporting
