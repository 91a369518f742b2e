/// Gives an enum a case path for each of its cases, so that they can be named by key paths.
///
/// ```swift
/// @CasePathable enum Action { case counter(Counter.Action), quit }
///
/// let action = Action.counter(.incrementButtonTapped)
/// action.is(\.counter)                  // true
/// action[case: \.counter]               // .incrementButtonTapped
/// let \Action.Cases.counter: CaseKeyPath<Action, Counter.Action>
/// ```
///
/// The payload of a case with several values is a tuple with the same labels. Overloaded case names are refused.
@attached(extension, conformances: CasePathable, CasePathIterable)
@attached(
  member, names: named(AllCasePaths), named(allCasePaths), named(_caseIndex), named(_payload), named(_$CasePayloads))
public macro CasePathable() = #externalMacro(module: "StoreHubMacros", type: "CasePathableMacro")
