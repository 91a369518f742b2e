import SwiftSyntax
import SwiftSyntaxMacros

/// A replicated case of an enum.
struct ReplicatedCase {
  let enumCase: EnumCase
  let key: UInt64
  /// The names that it had in earlier versions.
  let formerNames: [String]
  /// The directive that directs diagnostics to the case's line.
  let location: String?

  var name: String { enumCase.name }
  var count: Int { enumCase.parameters.count }

  /// The pattern that binds the payload to variables of this name and an index: `.moved(new0, new1)`.
  func pattern(_ variable: String?, _ binding: String = "let") -> String {
    guard let variable, count > 0 else { return ".\(name)" }
    let variables = (0..<count).map { "\(binding) \(variable)\($0)" }
    return ".\(name)(\(variables.joined(separator: ", ")))"
  }

  /// The case with a payload of these expressions.
  func value(_ expression: (Int) -> String) -> String {
    guard count > 0 else { return ".\(name)" }
    let arguments = enumCase.parameters.enumerated().map { index, parameter in
      (enumCase.label(of: parameter).map { "\($0): " } ?? "") + expression(index)
    }
    return ".\(name)(\(arguments.joined(separator: ", ")))"
  }
}

/// The cases of an enum, in the order of their keys.
struct ReplicatedCases {
  var cases: [ReplicatedCase] = []
  /// True if a value may contain others of the enum at any depth.
  var isRecursive = false

  /// Reads a declaration; returns nil, with diagnostics, if a part of it cannot be replicated.
  init?(of declaration: EnumDeclSyntax, in context: some MacroExpansionContext) {
    var keys = ReplicatedKeys(of: declaration.memberBlock)
    var isWhole = true
    isRecursive = declaration.modifiers.has(.indirect)
    for member in declaration.memberBlock.members.compactMap({ $0.decl.as(EnumCaseDeclSyntax.self) }) {
      if member.modifiers.has(.indirect) { isRecursive = true }
      if member.attributes.isOmitted {
        context.complain("A case cannot be omitted: a value of it would have no bytes", at: member)
        isWhole = false
      }
      if member.attributes.hasAny(of: ["ReplicatedKey"]), member.elements.count > 1 {
        context.complain("'@ReplicatedKey' is the key of one case: split the declaration", at: member)
        isWhole = false
      }
    }
    let enumCases = EnumCases(of: declaration)
    if enumCases.isConditional {
      context.complain(
        "Cases within '#if' cannot be replicated: both ends must have the same cases", at: declaration.name)
      isWhole = false
    }
    var names = Set<String>()
    var formerNames = FormerNames(ofEach: "case", present: enumCases.all.map { plain($0.name) })
    for enumCase in enumCases.all {
      if !names.insert(plain(enumCase.name)).inserted {
        context.complain(
          "'@Replicated' cannot be applied to overloaded case name '\(enumCase.name)'", at: enumCase.element)
        isWhole = false
      }
      if enumCase.parameters.count > 64 {
        context.complain(
          """
          A replicated case has at most 64 associated values; put some of the \(enumCase.parameters.count) into a \
          struct of their own
          """, at: enumCase.element)
        isWhole = false
      }
      for parameter in enumCase.parameters {
        guard let reason = parameter.type.reasonNotToTravel else { continue }
        context.complain("The payload of '\(enumCase.name)' cannot be replicated: \(reason)", at: parameter)
        isWhole = false
      }
      guard let key = keys.key(of: enumCase.name, in: enumCase.declaration, at: enumCase.element, in: context) else {
        isWhole = false
        continue
      }
      let isOnly = enumCase.declaration.elements.count == 1
      guard
        let former = formerNames.names(of: plain(enumCase.name), in: enumCase.declaration, isOnly: isOnly, in: context)
      else {
        isWhole = false
        continue
      }
      cases.append(
        ReplicatedCase(
          enumCase: enumCase, key: key, formerNames: former, location: context.lineDirective(of: enumCase.element)))
    }
    guard isWhole else { return nil }
    cases.sort { $0.key < $1.key }
  }
}
