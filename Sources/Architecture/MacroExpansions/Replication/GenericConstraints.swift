import SwiftSyntax
import SwiftSyntaxMacros

/// The generic parameters in the scope of a declaration.
struct GenericConstraints {
  private var names: Set<String> = []
  /// The parameters that are known to be replicated.
  private var replicated: Set<String> = []

  init(of declaration: some DeclGroupSyntax, in context: some MacroExpansionContext) {
    add((declaration as DeclGroupSyntax).asProtocol((any WithGenericParametersSyntax).self))
    for outer in context.lexicalContext { add(outer.asProtocol((any WithGenericParametersSyntax).self)) }
  }

  private mutating func add(_ declaration: (any WithGenericParametersSyntax)?) {
    guard let declaration else { return }
    for parameter in declaration.genericParameterClause?.parameters ?? [] {
      names.insert(parameter.name.text)
      if parameter.inheritedType?.trimmedDescription.contains("Replicated") ?? false {
        replicated.insert(parameter.name.text)
      }
    }
    for requirement in declaration.genericWhereClause?.requirements ?? [] {
      guard case .conformanceRequirement(let conformance) = requirement.requirement,
        conformance.rightType.trimmedDescription.contains("Replicated")
      else { continue }
      replicated.insert(conformance.leftType.trimmedDescription)
    }
  }

  /// The where clause that makes types replicated: their generic parameters and the ids of elements must be replicated.
  func replicated(in types: [TypeSyntax]) -> String {
    guard !names.isEmpty else { return "" }
    let finder = ParameterFinder(names)
    for type in types { finder.walk(type) }
    let needed = finder.found.subtracting(replicated).sorted()
    guard !needed.isEmpty else { return "" }
    return " where " + needed.map { "\($0): Wire.Replicated" }.joined(separator: ", ")
  }
}

/// Finds `Element`, `Root.Value`, and the id of `Element` in `IdentifiedArrayOf<Element>`.
private final class ParameterFinder: SyntaxVisitor {
  private let names: Set<String>
  private(set) var found: Set<String> = []

  init(_ names: Set<String>) {
    self.names = names
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
    guard let base = node.baseType.as(IdentifierTypeSyntax.self), names.contains(base.name.text),
      base.genericArgumentClause == nil
    else { return .visitChildren }
    found.insert(node.trimmedDescription)
    return .skipChildren
  }

  override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
    if names.contains(node.name.text) { found.insert(node.name.text) }
    if node.name.text == "IdentifiedArrayOf", let element = node.genericArgumentClause?.arguments.first?.argument,
      names.contains(element.trimmedDescription)
    {
      found.insert("\(element.trimmedDescription).ID")
    }
    return .visitChildren
  }
}
