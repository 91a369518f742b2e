internal import Observation

/// Makes the fields of a state individually observable, and gives the state an identity.
///
/// ```swift
/// @ObservableState
/// struct State: Equatable {
///   var count = 0
///   @Presents var alert: AlertState<Action.Alert>?
///   @ObservationStateIgnored var cache: [Int] = []
/// }
/// ```
///
/// On an enum, the payload's fields are observed. A field is stored under its name with an underscore, which dumps
/// show.
@attached(extension, conformances: Observable, ObservableState)
@attached(member, names: named(_$id), named(_$observationRegistrar), named(_$willModify))
@attached(memberAttribute)
public macro ObservableState() = #externalMacro(module: "StoreHubMacros", type: "ObservableStateMacro")

/// A field that notifies its readers when it changes; `@ObservableState` attaches it to each field.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(_))
public macro ObservationStateTracked() = #externalMacro(module: "StoreHubMacros", type: "ObservationStateTrackedMacro")

/// A field of an `@ObservableState` that is not observed.
@attached(accessor, names: named(willSet))
public macro ObservationStateIgnored() = #externalMacro(module: "StoreHubMacros", type: "ObservationStateIgnoredMacro")

/// An optional child state that is presented. `$name` is its `PresentationState`, for `ifLet` and scopes.
@attached(accessor, names: named(init), named(get), named(set), named(_modify))
@attached(peer, names: prefixed(`$`), prefixed(_))
public macro Presents() = #externalMacro(module: "StoreHubMacros", type: "PresentsMacro")
