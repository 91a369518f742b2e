import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Replicated`: generates the replication code of a struct or an enum.
enum ReplicatedMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    // '@Reducer' marks the state and actions of an enum reducer, which it generates.
    if declaration.attributes.hasAny(of: ["Reducer"]) {
      if !declaration.is(EnumDeclSyntax.self) {
        context.complain("'@Replicated' belongs to the reducer's 'State' and 'Action', not to the reducer", at: node)
      }
      return []
    }
    if let modifier = declaration.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) }),
      !context.lexicalContext.isEmpty
    {
      context.complain(
        """
        '\(declaration.typeName ?? "")' is private in another type, where the extension that makes it travel cannot \
        see it; make it 'fileprivate'
        """, at: modifier,
        fixIt: (
          "Make it 'fileprivate'", Syntax(modifier.name),
          Syntax(TokenSyntax.keyword(.fileprivate, trailingTrivia: .space))
        ))
      return []
    }
    let members: [String]
    let types: [TypeSyntax]
    let name = wireName(of: type)
    // Members of a private type are private to the file, and its methods must be declared so.
    let around = context.lexicalContext.compactMap { $0.asProtocol((any WithModifiersSyntax).self)?.modifiers }
    let isPrivate = ([declaration.modifiers] + around).contains { $0.has(.private) || $0.has(.fileprivate) }
    let documentation = declaration.leadingTrivia.documentation
    let access = isPrivate ? "fileprivate " : declaration.accessOfMembers(in: context)
    if let declaration = declaration.as(StructDeclSyntax.self) {
      guard let fields = ReplicatedFields(of: declaration, in: context) else { return [] }
      let expansion = ReplicatedStructExpansion(
        fields: fields.fields, omitted: fields.omitted, omits: fields.omits, id: fields.id, name: name, access: access,
        documentation: documentation)
      members = expansion.members
      types = fields.fields.compactMap(\.type)
      declaration.remarkMissingInitializer(hasDefaults: fields.fields.allSatisfy(\.hasDefault), in: context)
    } else if let declaration = declaration.as(EnumDeclSyntax.self) {
      guard let cases = ReplicatedCases(of: declaration, in: context) else { return [] }
      let expansion = ReplicatedEnumExpansion(
        cases: cases.cases, isRecursive: cases.isRecursive, name: name, access: access, documentation: documentation)
      members = expansion.members
      types = cases.cases.flatMap { $0.enumCase.parameters.map(\.type) }
    } else {
      context.complain("'@Replicated' can only be applied to structs and enums", at: node)
      return []
    }
    let constraints = GenericConstraints(of: declaration, in: context).replicated(in: types)
    // Both are named: a conditional conformance does not imply the inherited protocol.
    let conformances = protocols.map { "Wire.\($0.trimmedDescription.split(separator: ".").last ?? "")" }
    let inheritance = conformances.isEmpty ? "" : ": \(conformances.joined(separator: ", "))"
    return [
      try ExtensionDeclSyntax(
        """
        \(raw: declaration.attributes.availability)extension \(type.trimmed)\(raw: inheritance)\(raw: constraints) {
        \(raw: members.joined(separator: "\n\n"))
        }
        """)
    ]
  }

  /// The type's name with its enclosing types, without their generic arguments.
  private static func wireName(of type: some TypeSyntaxProtocol) -> String {
    var name = ""
    var depth = 0
    for character in type.trimmedDescription {
      if character == "<" { depth += 1 }
      if depth == 0 { name.append(character) }
      if character == ">" { depth -= 1 }
    }
    return name
  }
}

/// `@ReplicatedKey`, `@Replicated(omit)` and `@Replicated(was:)`: markers that `@Replicated` reads.
enum ReplicatedFieldMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let isKey = node.attributeName.trimmedDescription.hasSuffix("ReplicatedKey")
    var isForCases = isKey
    if case .argumentList(let arguments)? = node.arguments, arguments.first?.label?.text == "was" { isForCases = true }
    let isCase = isForCases && declaration.is(EnumCaseDeclSyntax.self)
    if !isCase && !declaration.is(VariableDeclSyntax.self) {
      let places = isForCases ? "a field or a case" : "a field"
      context.complain("'@\(node.trimmedDescription.dropFirst())' can only be applied to \(places)", at: node)
    }
    return []
  }
}
