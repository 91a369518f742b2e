import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@CasePathable`: a case path for each case of an enum, so that cases can be named by key paths.
public enum CasePathableMacro {}

extension CasePathableMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(EnumDeclSyntax.self), !protocols.isEmpty else { return [] }
    let attributes = declaration.attributes.availability
    return [
      try ExtensionDeclSyntax(
        "\(raw: attributes)extension \(type.trimmed): CasePaths.CasePathable, CasePaths.CasePathIterable {}")
    ]
  }
}

extension CasePathableMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(EnumDeclSyntax.self) else {
      context.complain("'@CasePathable' can only be applied to enum types", at: node)
      return []
    }
    let cases = declaration.cases
    var names = Set<String>()
    for enumCase in cases where !names.insert(plain(enumCase.name)).inserted {
      context.complain(
        "'@CasePathable' cannot be applied to overloaded case name '\(enumCase.name)'", at: enumCase.element)
      return []
    }
    let access = declaration.modifiers.accessOfMembers
    let root = declaration.name.trimmedDescription + declaration.genericArguments
    var properties: [String] = []
    for enumCase in cases {
      // A payload may name the enum's own `Self`, which means another type inside the nested struct.
      let value = enumCase.payloadType.replacingSelf(with: root)
      properties.append(
        """
        \(access)var \(enumCase.name): CasePaths.AnyCasePath<\(root), \(value)> {
        CasePaths.AnyCasePath(embed: { \(embed(enumCase, root)) }, extract: {
        \(extract(enumCase))
        })
        }
        """)
    }
    let keyPaths = cases.map { "\\.\($0.name)" }.joined(separator: ", ")
    let tests = cases.map { "if case .\($0.name) = root { return \\.\($0.name) }" }
    // An enum without cases has no value whose case could be told.
    let reflection =
      cases.isEmpty
      ? ""
      : """
      \(access)subscript(root root: \(root)) -> CasePaths.PartialCaseKeyPath<\(root)> {
      \(tests.joined(separator: "\n"))
      preconditionFailure("every value is of some case")
      }
      """
    let conformances = cases.isEmpty ? "" : "CasePaths.CasePathReflectable, "
    return [
      """
      \(raw: access)struct AllCasePaths: \(raw: conformances)Sendable, Sequence {
      \(raw: reflection)
      \(raw: properties.joined(separator: "\n"))
      \(raw: access)func makeIterator() -> IndexingIterator<[CasePaths.PartialCaseKeyPath<\(raw: root)>]> {
      let paths: [CasePaths.PartialCaseKeyPath<\(raw: root)>] = [\(raw: keyPaths)]
      return paths.makeIterator()
      }
      }
      """,
      "\(raw: access)static var allCasePaths: AllCasePaths { AllCasePaths() }",
    ]
  }

  private static func embed(_ enumCase: EnumCase, _ root: String) -> String {
    switch enumCase.parameters.count {
    case 0: return "\(root).\(enumCase.name)"
    case 1:
      let label = enumCase.label(of: enumCase.parameters[0]).map { "\($0): " } ?? ""
      return "\(root).\(enumCase.name)(\(label)$0)"
    default:
      let arguments = enumCase.parameters.enumerated().map { index, parameter in
        (enumCase.label(of: parameter).map { "\($0): " } ?? "") + "$0.\(index)"
      }
      return "\(root).\(enumCase.name)(\(arguments.joined(separator: ", ")))"
    }
  }

  private static func extract(_ enumCase: EnumCase) -> String {
    let variables = enumCase.variables.joined(separator: ", ")
    if enumCase.parameters.isEmpty {
      return "guard case .\(enumCase.name) = $0 else { return nil }\nreturn ()"
    }
    let value = enumCase.parameters.count == 1 ? variables : "(\(variables))"
    return "guard case let .\(enumCase.name)(\(variables)) = $0 else { return nil }\nreturn \(value)"
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
  /// The `@available` attributes, as text to stand before another declaration.
  var availability: String {
    compactMap {
      guard case .attribute(let attribute) = $0, attribute.attributeName.trimmedDescription == "available" else {
        return nil
      }
      return "\(attribute.trimmedDescription)\n"
    }.joined()
  }
}

extension String {
  /// The text of a type with `Self` replaced, where it stands as a word.
  func replacingSelf(with name: String) -> String {
    replacing(/\bSelf\b/) { _ in name }
  }
}
