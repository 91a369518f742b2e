import SwiftSyntax

/// Makes the observers of a field access its storage in place of the field. Otherwise an observer that assigns its own
/// field would run again without end; in Swift, an observer's access to its own property is one to the storage.
final class ObserverStorage: SyntaxRewriter {
  private let name: String
  private let observers: AccessorBlockSyntax
  /// True if the observers declare something with the field's name, so that only `self` before it shows the field.
  private let isShadowed: Bool

  init(of name: String, in observers: AccessorBlockSyntax) {
    self.name = plain(name)
    self.observers = observers
    isShadowed = observers.tokens(viewMode: .sourceAccurate).contains { token in
      plain(token.text) == plain(name)
        && [
          .identifierPattern, .closureShorthandParameter, .closureParameter, .closureCapture, .functionParameter,
          .accessorParameters, .functionDecl,
        ].contains(token.parent?.kind)
    }
    super.init(viewMode: .sourceAccurate)
  }

  /// The observers with their accesses to the storage.
  var rewritten: AccessorBlockSyntax { rewrite(observers).cast(AccessorBlockSyntax.self) }

  private func storage(for reference: DeclReferenceExprSyntax) -> DeclReferenceExprSyntax? {
    guard plain(reference.baseName.text) == name, reference.argumentNames == nil else { return nil }
    return reference.with(\.baseName.tokenKind, .identifier(storageName(of: name)))
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> ExprSyntax {
    ExprSyntax(isShadowed ? node : storage(for: node) ?? node)
  }

  /// `self.count`; the name after any other base is that of another property.
  override func visit(_ node: MemberAccessExprSyntax) -> ExprSyntax {
    var node = node
    if node.base?.as(DeclReferenceExprSyntax.self)?.baseName.tokenKind == .keyword(.self) {
      node.declName = storage(for: node.declName) ?? node.declName
    } else if let base = node.base {
      node.base = rewrite(base).cast(ExprSyntax.self)
    }
    return ExprSyntax(node)
  }

  /// The names in a key path are those of properties.
  override func visit(_ node: KeyPathExprSyntax) -> ExprSyntax { ExprSyntax(node) }

  /// A call of the field, which only reads it, looks like one of a method.
  override func visit(_ node: FunctionCallExprSyntax) -> ExprSyntax {
    let callee = node.calledExpression
    guard callee.is(DeclReferenceExprSyntax.self) else { return super.visit(node) }
    guard var call = super.visit(node).as(FunctionCallExprSyntax.self) else { return ExprSyntax(node) }
    call.calledExpression = callee
    return ExprSyntax(call)
  }
}
