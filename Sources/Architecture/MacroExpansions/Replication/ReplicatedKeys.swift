import SwiftSyntax
import SwiftSyntaxMacros

/// Assigns keys to fields or cases: one more than the last, or an explicit one.
struct ReplicatedKeys {
  /// Nil after the largest key.
  private var next: UInt64? = 0
  private var names: [UInt64: String] = [:]
  /// The explicit keys, also those of later declarations, which no fix must use again.
  private let explicit: Set<UInt64>

  /// The keys of the fields or cases among some members.
  init(of members: MemberBlockSyntax) {
    explicit = Set(
      members.members.compactMap { $0.decl.asProtocol((any WithAttributesSyntax).self)?.attributes.replicatedKey?.key })
  }

  /// The key of a field or case; nil, with a diagnostic, if it is already in use.
  ///
  /// - Parameters:
  ///   - name: The name of the field or case.
  ///   - declaration: Its declaration, which may declare others as well.
  ///   - node: The place for diagnostics.
  mutating func key(
    of name: String, in declaration: some WithAttributesSyntax & DeclSyntaxProtocol, at node: some SyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> UInt64? {
    if let attribute = declaration.attributes.attribute(named: "ReplicatedKey") {
      guard let key = declaration.attributes.replicatedKey?.key else {
        context.complain("A key is an integer literal from 0 up: '@ReplicatedKey(3)'", at: attribute)
        return nil
      }
      next = key
    }
    let found = next
    if let found, names[found] == nil {
      take(found, for: name)
      return found
    }
    // With the key that the fix gives it, so that what follows is not reported as well.
    let unused = unused
    let problem =
      found.flatMap { key in names[key].map { "has the key \(key), which '\($0)' has already" } }
      ?? "follows the largest key"
    context.complain(
      "'\(name)' \(problem); give it another one with '@ReplicatedKey(\(unused))'", at: node,
      fixIt: declaration.giving(key: unused))
    take(unused, for: name)
    return nil
  }

  private mutating func take(_ key: UInt64, for name: String) {
    names[key] = name
    next = key < .max ? key + 1 : nil
  }

  /// The key after the largest one, or else the smallest unused one.
  private var unused: UInt64 {
    let used = explicit.union(names.keys)
    guard let largest = used.max() else { return 0 }
    return largest < .max ? largest + 1 : (0...).first { !used.contains($0) } ?? 0
  }
}

extension WithAttributesSyntax where Self: DeclSyntaxProtocol {
  /// The fix that gives the only field or case of the declaration a key; nil if it declares several.
  fileprivate func giving(key: UInt64) -> OfferedFix? {
    let variable = self.as(VariableDeclSyntax.self)
    let enumCase = self.as(EnumCaseDeclSyntax.self)
    guard (variable?.bindings.count ?? enumCase?.elements.count) == 1 else { return nil }
    if let (literal, _) = attributes.replicatedKey {
      let new = literal.with(\.literal, .integerLiteral("\(key)"))
      return ("Give it the key \(key)", Syntax(literal), Syntax(new))
    }
    let (attribute, message): (AttributeSyntax, String) = (
      "@ReplicatedKey(\(raw: key))", "Mark it '@ReplicatedKey(\(key))'"
    )
    return variable?.adding(attribute, message) ?? enumCase?.adding(attribute, message)
  }
}

extension AttributeListSyntax {
  /// The key in `@ReplicatedKey(3)`, and its literal.
  fileprivate var replicatedKey: (literal: IntegerLiteralExprSyntax, key: UInt64)? {
    guard case .argumentList(let arguments) = attribute(named: "ReplicatedKey")?.arguments,
      let literal = arguments.first?.expression.as(IntegerLiteralExprSyntax.self),
      let key = UInt64(literal.literal.text.filter { $0 != "_" })
    else { return nil }
    return (literal, key)
  }

  /// True if the attributes include `@Replicated(omit)` or `@Replicated(.omit)`.
  package var isOmitted: Bool {
    contains {
      guard case .attribute(let attribute) = $0,
        attribute.attributeName.trimmedDescription.split(separator: ".").last == "Replicated",
        case .argumentList(let arguments)? = attribute.arguments, let argument = arguments.first
      else { return false }
      return argument.label == nil && argument.expression.trimmedDescription.hasSuffix("omit")
    }
  }
}
