@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
import SwiftSyntaxMacros

/// The macros of this plugin. The compiler starts it, requests expansions over standard input, and ends it.
struct Plugin: PluginProvider {
  private static var macros: [any Macro.Type] {
    [
      CasePathableMacro.self,
      DependencyClientMacro.self,
      DependencyEndpointMacro.self,
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

  func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
    guard let macro = Self.macros.first(where: { "\($0)" == typeName }) else { throw UnknownMacro(name: typeName) }
    return macro
  }
}

struct UnknownMacro: Error, CustomStringConvertible {
  let name: String
  var description: String { "StoreHubMacros has no macro type \(name)" }
}

try CompilerPluginMessageListener(connection: StandardStreams(), provider: Plugin()).main()
