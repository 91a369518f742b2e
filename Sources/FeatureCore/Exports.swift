@_exported public import CasePaths
@_exported public import CustomDump
@_exported public import Dependencies
@_exported public import IdentifiedCollections
@_exported public import IssueReporting
@_exported public import Observation
@_exported public import PromptState
@_exported public import Senders
