import SwiftSyntax
import SwiftSyntaxMacros

/// Assigns keys to fields or cases: one more than the last, or an explicit one.
struct ReplicatedKeys {
  /// Nil after the largest key.
  private var next: UInt64? = 0
  private var names: [UInt64: String] = [:]

  /// The key of a declaration with these attributes; nil, with a diagnostic, if it is already in use.
  mutating func key(
    of name: String, _ attributes: AttributeListSyntax, at node: some SyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> UInt64? {
    if let attribute = attributes.attribute(named: "ReplicatedKey") {
      guard case .argumentList(let arguments) = attribute.arguments,
        let literal = arguments.first?.expression.as(IntegerLiteralExprSyntax.self),
        let key = UInt64(literal.literal.text.filter { $0 != "_" })
      else {
        context.complain("A key is an integer literal from 0 up: '@ReplicatedKey(3)'", at: attribute)
        return nil
      }
      next = key
    }
    guard let found = next else {
      context.complain("'\(name)' follows the largest key; give it another one with '@ReplicatedKey'", at: node)
      return nil
    }
    if let other = names[found] {
      context.complain(
        """
        '\(name)' has the key \(found), which '\(other)' has already; give it another one with \
        '@ReplicatedKey(\(unused))'
        """, at: node)
      return nil
    }
    names[found] = name
    next = found < .max ? found + 1 : nil
    return found
  }

  /// The key after the largest one so far, or else the smallest unused one.
  private var unused: UInt64 {
    guard let largest = names.keys.max() else { return 0 }
    return largest < .max ? largest + 1 : (0...).first { names[$0] == nil } ?? 0
  }
}

extension AttributeListSyntax {
  /// True if the attributes include `@Replicated(omit)` or `@Replicated(.omit)`.
  package var isOmitted: Bool {
    guard case .argumentList(let arguments) = attribute(named: "Replicated")?.arguments,
      let argument = arguments.first?.expression
    else { return false }
    return argument.trimmedDescription.hasSuffix("omit")
  }
}
