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
    // Except for conformances that the declaration already has.
    let conformances = protocols.map(\.trimmedDescription).map { $0.contains(".") ? $0 : "CasePaths.\($0)" }
    return [
      try ExtensionDeclSyntax(
        "\(raw: attributes)extension \(type.trimmed): \(raw: conformances.joined(separator: ", ")) {}")
    ]
  }
}

extension CasePathableMacro: MemberMacro {
  public static func expansion(
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
    return members(of: declaration, access: declaration.accessOfMembers(in: context))
  }

  /// The members to add to an enum.
  static func members(of declaration: EnumDeclSyntax, access: String) -> [DeclSyntax] {
    let cases = EnumCases(of: declaration)
    let root = declaration.name.trimmedDescription + declaration.genericArguments
    // A payload may refer to the enum's own `Self`, which has another meaning inside the nested struct.
    let payloads = Dictionary(
      uniqueKeysWithValues: cases.all.map { ($0.position, $0.payloadType.replacingSelf(with: root)) })
    let isShadowed = ([root] + payloads.values).contains(where: \.namesShadowedType)
    let rootName = isShadowed ? "_$CasePayloads._$Root" : root
    let properties = cases.lines { enumCase in
      let value = isShadowed ? "_$CasePayloads._$Payload\(enumCase.position)" : payloads[enumCase.position] ?? ""
      return """
        \(enumCase.attributes.availability)\(access)var \(enumCase.name): CasePaths.AnyCasePath<\(rootName), \(value)> {
        CasePaths.AnyCasePath(\(embed(enumCase, rootName)), extract: {
        \(extract(enumCase))
        })
        }
        """
    }
    // An enum without cases has no values.
    let reflection =
      cases.isEmpty
      ? ""
      : """
      \(access)subscript(root: \(rootName)) -> CasePaths.PartialCaseKeyPath<\(rootName)> {
      \(cases.lines { "if case .\($0.name) = root { return \\.\($0.name) }" })
      preconditionFailure("every value is of some case")
      }
      """
    let list =
      cases.isConditional
      ? """
      var paths: [CasePaths.PartialCaseKeyPath<\(rootName)>] = []
      \(cases.lines { "paths.append(\\.\($0.name))" })
      """
      : "let paths: [CasePaths.PartialCaseKeyPath<\(rootName)>] = "
        + "[\(cases.all.map { "\\.\($0.name)" }.joined(separator: ", "))]"
    let conformances = cases.isEmpty ? "" : "CasePaths.CasePathReflectable, "
    // Naming a deprecated case causes a warning; listing all cases does not.
    let deprecation =
      cases.all.contains { $0.attributes.availability.contains("deprecated") }
      ? "@available(*, deprecated, message: \"Some of the cases are deprecated\")\n" : ""
    var members: [DeclSyntax] = [
      """
      \(raw: access)struct AllCasePaths: \(raw: conformances)Sendable, Sequence {
      \(raw: deprecation)\(raw: reflection)
      \(raw: properties)
      \(raw: deprecation)\(raw: access)func makeIterator() \
      -> IndexingIterator<[CasePaths.PartialCaseKeyPath<\(raw: rootName)>]> {
      \(raw: list)
      return paths.makeIterator()
      }
      }
      """,
      "\(raw: access)static var allCasePaths: AllCasePaths { AllCasePaths() }",
    ]
    if !cases.isEmpty {
      members.append(
        """
        \(raw: deprecation)\(raw: access)static func _caseIndex(of value: Self) -> Int? {
        \(raw: cases.lines { "if case .\($0.name) = value { return \($0.position) }" })
        preconditionFailure("every value is of some case")
        }
        """)
    }
    let payloadCases = cases.all.filter { $0.parameters.count == 1 && payloads[$0.position] != "Never" }
    if !payloadCases.isEmpty {
      let lines = cases.lines { enumCase in
        guard payloadCases.contains(where: { $0.position == enumCase.position }) else { return nil }
        let variable = enumCase.variables.joined()
        return """
          if case let .\(enumCase.name)(\(variable)) = value {
          return index == \(enumCase.position) ? \(variable) as? _Payload : nil
          }
          """
      }
      members.append(
        """
        \(raw: deprecation)\(raw: access)static func _payload<_Payload>(of value: Self, at index: Int) -> _Payload? {
        \(raw: lines)
        return nil
        }
        """)
    }
    if isShadowed {
      let aliases = cases.lines { "\(access)typealias _$Payload\($0.position) = \(payloads[$0.position] ?? "")" }
      members.append(
        """
        \(raw: access)enum _$CasePayloads {
        \(raw: access)typealias _$Root = \(raw: root)
        \(raw: aliases)
        }
        """)
    }
    return members
  }

  /// The creation of a value from its payload. A case is a function; calling it with a `Never` would cause a warning.
  private static func embed(_ enumCase: EnumCase, _ root: String) -> String {
    switch enumCase.parameters.count {
    case 0: return "embed: { \(root).\(enumCase.name) }"
    case 1 where plain(enumCase.name) != "self": return "_case: \(root).\(enumCase.name)"
    case 1: return "embed: { \(root).\(enumCase.name)(\(enumCase.argument(for: enumCase.parameters[0]))$0) }"
    default:
      let arguments = enumCase.parameters.enumerated().map { index, parameter in
        enumCase.argument(for: parameter) + "$0.\(index)"
      }
      return "embed: { \(root).\(enumCase.name)(\(arguments.joined(separator: ", "))) }"
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

extension String {
  /// The text of a type with `Self` replaced where it is a word, and in `Self.ID`, which is one word of text.
  func replacingSelf(with name: String) -> String {
    replacing(/\bSelf\b/.wordBoundaryKind(.simple)) { _ in name }
  }

  /// True if the text of a type contains a word that denotes another type inside a sequence of case paths.
  var namesShadowedType: Bool {
    contains(/(?:^|[^.\w])(?:Element|Iterator|Root)\b/.wordBoundaryKind(.simple))
  }
}
