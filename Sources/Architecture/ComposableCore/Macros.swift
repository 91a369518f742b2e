public import FeatureCore

/// Makes a type a reducer.
///
/// On a struct: adds the conformance, case paths for `Action` and an enum `State`, and those of `State`, `Action` and
/// `body` that are missing.
///
/// ```swift
/// @Reducer
/// struct Counter {
///   @ObservableState struct State: Equatable { var count = 0 }
///   enum Action { case incrementButtonTapped }
///   var body: some ReducerOf<Self> {
///     Reduce { state, action in … }
///   }
/// }
/// ```
///
/// On an enum whose cases hold reducers: generates a reducer whose state is that of one case at a time.
///
/// ```swift
/// @Reducer enum Destination {
///   case alert(AlertState<Alert>)
///   case edit(EditFeature)
/// }
/// extension Destination.State: Equatable {}
/// ```
@attached(extension, conformances: Reducer, CaseReducer, _CaseReducerCore, _DefaultState, _DefaultAction, _DefaultBody)
@attached(
  member, names: named(State), named(Action), named(init), named(body), named(CaseScope), named(scope))
@attached(memberAttribute)
public macro Reducer() = #externalMacro(module: "StoreHubMacros", type: "ReducerMacro")

/// Makes an enum a reducer, and adds conformances to its state or action: `@Reducer(state: .equatable, .sendable)`.
@attached(extension, conformances: Reducer, CaseReducer, _CaseReducerCore, _DefaultState, _DefaultAction, _DefaultBody)
@attached(
  member, names: named(State), named(Action), named(init), named(body), named(CaseScope), named(scope))
@attached(memberAttribute)
public macro Reducer(state: _SynthesizedConformance..., action: _SynthesizedConformance...) =
  #externalMacro(module: "StoreHubMacros", type: "ReducerMacro")

/// A conformance that `@Reducer(state:action:)` can add to an enum's state or action.
public struct _SynthesizedConformance: Sendable {
  /// Conform to `Codable`.
  public static let codable = Self()
  /// Conform to `Decodable`.
  public static let decodable = Self()
  /// Conform to `Encodable`.
  public static let encodable = Self()
  /// Conform to `Equatable`.
  public static let equatable = Self()
  /// Conform to `Hashable`.
  public static let hashable = Self()
  /// Conform to `Sendable`.
  public static let sendable = Self()
}

/// A case of an enum reducer whose state any of its actions sets to nil, such as an alert's.
@attached(peer, names: named(_))
public macro ReducerCaseEphemeral() = #externalMacro(module: "StoreHubMacros", type: "ReducerCaseMarkerMacro")

/// A case of an enum reducer that holds plain state.
@attached(peer, names: named(_))
public macro ReducerCaseIgnored() = #externalMacro(module: "StoreHubMacros", type: "ReducerCaseMarkerMacro")

/// Adds the method `send(_:)` for the view's actions to a type with a `store`.
///
/// Calling `store.send` instead causes a warning.
@attached(extension, conformances: ViewActionSending)
public macro ViewAction<R: Reducer>(for: R.Type) =
  #externalMacro(module: "StoreHubMacros", type: "ViewActionMacro")
where R.Action: ViewAction

/// The mark of what a hub shares, in a file without the module that has it. Where both are visible, the compiler takes the
/// other one.
@available(
  *, unavailable,
  message: "add 'import ReplicatedArchitecture', and the product of that name to the target's dependencies"
)
@attached(peer)
public macro Replicated() = #externalMacro(module: "StoreHubMacros", type: "MissingImportMacro")
