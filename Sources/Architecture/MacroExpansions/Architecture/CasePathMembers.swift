import SwiftSyntax
import SwiftSyntaxBuilder

/// The members that `@CasePathable` adds to an enum.
struct CasePathMembers {
  private let cases: EnumCases
  private let access: String
  private let root: String
  /// The types of the payloads, by the positions of their cases.
  private let payloads: [Int: String]
  /// True if the name of the enum or of a payload denotes another type inside `AllCasePaths`.
  private let isShadowed: Bool
  /// The name of the enum inside `AllCasePaths`.
  private let rootName: String
  /// Naming a deprecated case causes a warning; listing all cases does not.
  private let deprecation: String

  init(of declaration: EnumDeclSyntax, access: String) {
    let cases = EnumCases(of: declaration)
    let root = declaration.name.trimmedDescription + declaration.genericArguments
    (self.cases, self.access, self.root) = (cases, access, root)
    // A payload may refer to the enum's own `Self`, which has another meaning inside the nested struct.
    payloads = Dictionary(
      uniqueKeysWithValues: cases.all.map { ($0.position, $0.payloadType.replacingSelf(with: root)) })
    isShadowed = ([root] + payloads.values).contains(where: \.namesShadowedType)
    rootName = isShadowed ? "_$CasePayloads._$Root" : root
    deprecation =
      cases.all.contains { $0.attributes.availability.contains("deprecated") }
      ? "@available(*, deprecated, message: \"Some of the cases are deprecated\")\n" : ""
  }

  /// All members.
  var all: [DeclSyntax] {
    [allCasePaths, "\(raw: access)static var allCasePaths: AllCasePaths { AllCasePaths() }"]
      + [caseIndex, payload, casePayloads].compactMap(\.self)
  }

  /// The sequence of case paths, with a property for each.
  private var allCasePaths: DeclSyntax {
    let conformances = cases.isEmpty ? "" : "CasePaths.CasePathReflectable, "
    return """
      \(raw: access)struct AllCasePaths: \(raw: conformances)Sendable, Sequence {
      \(raw: deprecation)\(raw: reflection)
      \(raw: cases.lines(property))
      \(raw: deprecation)\(raw: access)func makeIterator() \
      -> IndexingIterator<[CasePaths.PartialCaseKeyPath<\(raw: rootName)>]> {
      \(raw: list)
      return paths.makeIterator()
      }
      }
      """
  }

  /// The subscript that returns the key path of a value's case. An enum without cases has no values.
  private var reflection: String {
    guard !cases.isEmpty else { return "" }
    return """
      \(access)subscript(root: \(rootName)) -> CasePaths.PartialCaseKeyPath<\(rootName)> {
      \(cases.lines { "if case .\($0.name) = root { return \\.\($0.name) }" })
      preconditionFailure("every value is of some case")
      }
      """
  }

  private func property(_ enumCase: EnumCase) -> String {
    let value = isShadowed ? "_$CasePayloads._$Payload\(enumCase.position)" : payloads[enumCase.position] ?? ""
    return """
      \(enumCase.attributes.availability)\(access)var \(enumCase.name): CasePaths.AnyCasePath<\(rootName), \(value)> {
      CasePaths.AnyCasePath(\(embed(enumCase)), extract: {
      \(extract(enumCase))
      })
      }
      """
  }

  /// The creation of a value from its payload. A case is a function; calling it with a `Never` would cause a warning.
  private func embed(_ enumCase: EnumCase) -> String {
    switch enumCase.parameters.count {
    case 0: return "embed: { \(rootName).\(enumCase.name) }"
    case 1 where plain(enumCase.name) != "self": return "_case: \(rootName).\(enumCase.name)"
    case 1: return "embed: { \(rootName).\(enumCase.name)(\(enumCase.argument(for: enumCase.parameters[0]))$0) }"
    default:
      let arguments = enumCase.parameters.enumerated().map { index, parameter in
        enumCase.argument(for: parameter) + "$0.\(index)"
      }
      return "embed: { \(rootName).\(enumCase.name)(\(arguments.joined(separator: ", "))) }"
    }
  }

  private func extract(_ enumCase: EnumCase) -> String {
    let variables = enumCase.variables.joined(separator: ", ")
    if enumCase.parameters.isEmpty {
      return "guard case .\(enumCase.name) = $0 else { return nil }\nreturn ()"
    }
    let value = enumCase.parameters.count == 1 ? variables : "(\(variables))"
    return "guard case let .\(enumCase.name)(\(variables)) = $0 else { return nil }\nreturn \(value)"
  }

  /// The declaration of the array of all case paths.
  private var list: String {
    guard cases.isConditional else {
      return "let paths: [CasePaths.PartialCaseKeyPath<\(rootName)>] = "
        + "[\(cases.all.map { "\\.\($0.name)" }.joined(separator: ", "))]"
    }
    return """
      var paths: [CasePaths.PartialCaseKeyPath<\(rootName)>] = []
      \(cases.lines { "paths.append(\\.\($0.name))" })
      """
  }

  private var caseIndex: DeclSyntax? {
    guard !cases.isEmpty else { return nil }
    return """
      \(raw: deprecation)\(raw: access)static func _caseIndex(of value: Self) -> Int? {
      \(raw: cases.lines { "if case .\($0.name) = value { return \($0.position) }" })
      preconditionFailure("every value is of some case")
      }
      """
  }

  /// The function that returns the payload of a case by its position, for callers that know the types.
  private var payload: DeclSyntax? {
    let positions = cases.all.filter { $0.parameters.count == 1 && payloads[$0.position] != "Never" }.map(\.position)
    guard !positions.isEmpty else { return nil }
    let lines = cases.lines { enumCase in
      guard positions.contains(enumCase.position) else { return nil }
      let variable = enumCase.variables.joined()
      return """
        if case let .\(enumCase.name)(\(variable)) = value {
        return index == \(enumCase.position) ? \(variable) as? _Payload : nil
        }
        """
    }
    return """
      \(raw: deprecation)\(raw: access)static func _payload<_Payload>(of value: Self, at index: Int) -> _Payload? {
      \(raw: lines)
      return nil
      }
      """
  }

  /// Names outside of `AllCasePaths` for the types that it shadows.
  private var casePayloads: DeclSyntax? {
    guard isShadowed else { return nil }
    let aliases = cases.lines { "\(access)typealias _$Payload\($0.position) = \(payloads[$0.position] ?? "")" }
    return """
      \(raw: access)enum _$CasePayloads {
      \(raw: access)typealias _$Root = \(raw: root)
      \(raw: aliases)
      }
      """
  }
}

extension String {
  /// The text of a type with `Self` replaced where it is a word, and in `Self.ID`, which is one word of text.
  fileprivate func replacingSelf(with name: String) -> String {
    replacing(/\bSelf\b/.wordBoundaryKind(.simple)) { _ in name }
  }

  /// True if the text of a type contains a word that denotes another type inside a sequence of case paths.
  fileprivate var namesShadowedType: Bool {
    contains(/(?:^|[^.\w])(?:Element|Iterator|Root)\b/.wordBoundaryKind(.simple))
  }
}
