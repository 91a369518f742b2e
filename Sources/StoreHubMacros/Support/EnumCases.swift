import SwiftSyntax

/// A case of an enum, as macros look at it.
struct EnumCase {
  /// The name as in the source, with backticks where it has them.
  let name: String
  let parameters: [EnumCaseParameterSyntax]
  let attributes: AttributeListSyntax
  let element: EnumCaseElementSyntax

  /// The payload as one type: `Void`, the only value's type, or a tuple.
  var payloadType: String {
    switch parameters.count {
    case 0: return "Void"
    case 1: return parameters[0].type.trimmedDescription
    default:
      let parts = parameters.map { parameter in
        label(of: parameter).map { "\($0): \(parameter.type.trimmedDescription)" } ?? parameter.type.trimmedDescription
      }
      return "(\(parts.joined(separator: ", ")))"
    }
  }

  /// Names for the payload's values in patterns: `v0, v1`.
  var variables: [String] { parameters.indices.map { "v\($0)" } }

  func label(of parameter: EnumCaseParameterSyntax) -> String? {
    guard let name = parameter.firstName?.trimmedDescription, name != "_" else { return nil }
    return name
  }
}

extension EnumDeclSyntax {
  /// The cases in the order of the source.
  var cases: [EnumCase] {
    memberBlock.members.flatMap { member -> [EnumCase] in
      guard let declaration = member.decl.as(EnumCaseDeclSyntax.self) else { return [] }
      return declaration.elements.map {
        EnumCase(
          name: $0.name.trimmedDescription, parameters: Array($0.parameterClause?.parameters ?? []),
          attributes: declaration.attributes, element: $0)
      }
    }
  }
}
