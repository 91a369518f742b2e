package import SwiftSyntaxMacros

/// The macros that this module implements.
package enum Macros {
  /// Their types, whose names the declarations of the macros refer to.
  package static var all: [any Macro.Type] {
    [
      CasePathableMacro.self,
      DependencyClientMacro.self,
      DependencyEndpointMacro.self,
      MissingImportMacro.self,
      ObservableStateMacro.self,
      ObservationStateIgnoredMacro.self,
      ObservationStateTrackedMacro.self,
      PresentsMacro.self,
      ReducerCaseMarkerMacro.self,
      ReducerMacro.self,
      ReplicatedFieldMacro.self,
      ReplicatedMacro.self,
      ViewActionMacro.self,
    ]
  }
}
