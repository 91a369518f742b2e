@_exported public import CustomDump
@_exported public import Dependencies
@_exported public import EarlierForms
@_exported public import EffectStreams
@_exported public import FeatureCore
@_exported public import IdentifiedCollections

/// The name of the reducer protocol before 1.0. `Reducer` is ``AnyReducer`` here.
public typealias ReducerProtocol = FeatureCore.Reducer
/// The state and action of a reducer, before 1.0.
public typealias ReducerProtocolOf<R: FeatureCore.Reducer> = FeatureCore.Reducer<R.State, R.Action>
/// The older struct of a function and an environment.
public typealias Reducer = AnyReducer
