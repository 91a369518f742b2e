@_exported public import CasePaths
@_exported public import CombineSchedulers
@_exported public import CustomDump
@_exported public import EffectStreams
@_exported public import IdentifiedCollections
@_exported public import PromptState
