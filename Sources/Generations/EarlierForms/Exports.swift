@_exported public import CasePaths
@_exported public import PromptState
