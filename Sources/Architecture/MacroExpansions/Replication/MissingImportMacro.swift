import SwiftSyntax
import SwiftSyntaxMacros

/// `@Replicated` in a file without its module: the compiler reports the macro as unavailable, and it adds nothing.
enum MissingImportMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] { [] }
}
