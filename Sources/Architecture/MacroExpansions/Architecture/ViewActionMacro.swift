import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ViewAction(for:)`: adds `send(.x)` for `store.send(.view(.x))`, and warns about the long form.
enum ViewActionMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.storesStore else {
      context.complain(
        "'@ViewAction' requires \(declaration.typeName.map { "'\($0)'" } ?? "the type") to have a 'store' property of type 'Store'.",
        at: node)
      return []
    }
    let finder = StoreSendFinder(viewMode: .sourceAccurate)
    finder.walk(declaration)
    for (call, argument) in finder.calls {
      var replacement = call
      replacement.calledExpression = ExprSyntax("send").with(\.leadingTrivia, call.calledExpression.leadingTrivia)
      if let argument {
        replacement.arguments[replacement.arguments.startIndex].expression = argument.trimmed
      }
      context.complain(
        """
        Do not use 'store.send' directly when using '@ViewAction'\(argument == nil ? "" : "; use 'send' instead")
        """,
        severity: .warning, at: call,
        fixIt: argument == nil ? nil : ("Call 'send' directly with a view action", Syntax(call), Syntax(replacement)))
    }
    guard !protocols.isEmpty else { return [] }
    return [try ExtensionDeclSyntax("extension \(type.trimmed): ComposableCore.ViewActionSending {}")]
  }
}

extension DeclGroupSyntax {
  fileprivate var storesStore: Bool {
    memberBlock.members.contains { member in
      member.decl.as(VariableDeclSyntax.self)?.bindings.contains {
        $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == "store"
      } ?? false
    }
  }
}

/// Finds calls of `store.send`, and their view actions.
private final class StoreSendFinder: SyntaxVisitor {
  var calls: [(call: FunctionCallExprSyntax, viewAction: ExprSyntax?)] = []

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let called = node.calledExpression.trimmedDescription
    if called == "store.send" || called == "self.store.send" {
      let inner = node.arguments.first?.expression.as(FunctionCallExprSyntax.self)
      let isView = inner?.calledExpression.trimmedDescription == ".view"
      calls.append((node, isView ? inner?.arguments.first?.expression : nil))
    }
    return .visitChildren
  }
}
