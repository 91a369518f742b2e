import MacroExpansions
@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
import SwiftSyntaxMacros

/// Finds the macros of this plugin. The compiler starts it, requests expansions over standard input, and ends it.
struct Plugin: PluginProvider {
  func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
    guard let macro = Macros.all.first(where: { "\($0)" == typeName }) else { throw UnknownMacro(name: typeName) }
    return macro
  }
}

struct UnknownMacro: Error, CustomStringConvertible {
  let name: String
  var description: String { "StoreHubMacros has no macro type \(name)" }
}

try CompilerPluginMessageListener(connection: StandardStreams(), provider: Plugin()).main()
