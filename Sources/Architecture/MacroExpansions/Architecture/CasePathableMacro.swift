import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@CasePathable`: a case path for each case of an enum, so that cases can be named by key paths.
enum CasePathableMacro {}

extension CasePathableMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(EnumDeclSyntax.self), !protocols.isEmpty else { return [] }
    let attributes = declaration.attributes.availability
    // Except for conformances that the declaration already has.
    let conformances = protocols.map(\.trimmedDescription).map { $0.contains(".") ? $0 : "CasePaths.\($0)" }
    return [
      try ExtensionDeclSyntax(
        "\(raw: attributes)extension \(type.trimmed): \(raw: conformances.joined(separator: ", ")) {}")
    ]
  }
}

extension CasePathableMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(EnumDeclSyntax.self) else {
      context.complain("'@CasePathable' cannot be applied to \(declaration.kindAndName)", at: node)
      return []
    }
    if let overloaded = EnumCases(of: declaration).overloaded {
      context.complain(
        "'@CasePathable' cannot be applied to overloaded case name '\(overloaded.name)'", at: overloaded.element)
      return []
    }
    return CasePathMembers(of: declaration, access: declaration.accessOfMembers(in: context)).all
  }
}

extension EnumDeclSyntax {
  /// The generic parameters as arguments: `<Element, ID>`.
  var genericArguments: String {
    guard let parameters = genericParameterClause?.parameters, !parameters.isEmpty else { return "" }
    return "<\(parameters.map(\.name.trimmedDescription).joined(separator: ", "))>"
  }
}

extension AttributeListSyntax {
  /// The `@available` attributes, as text for another declaration.
  var availability: String {
    compactMap {
      guard case .attribute(let attribute) = $0, attribute.attributeName.trimmedDescription == "available" else {
        return nil
      }
      return "\(attribute.trimmedDescription)\n"
    }.joined()
  }
}
