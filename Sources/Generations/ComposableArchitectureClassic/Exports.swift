@_exported public import CombineSchedulers
@_exported public import CustomDump
@_exported public import DependenciesFoundation
@_exported public import EarlierForms
@_exported public import EffectStreams
@_exported public import FeatureCore
@_exported public import IdentifiedCollections
