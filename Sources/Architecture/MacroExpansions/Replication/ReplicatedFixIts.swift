import SwiftSyntax
import SwiftSyntaxBuilder

/// A change that the compiler offers with a diagnostic.
typealias OfferedFix = (message: String, old: Syntax, new: Syntax)

extension VariableDeclSyntax {
  /// The fix that marks the field `@Replicated(omit)`.
  var omitting: OfferedFix {
    let mark: AttributeSyntax = "@Replicated(omit)"
    let marks = AttributeListSyntax([.attribute(mark.with(\.trailingTrivia, .space))])
    let plain = with(\.leadingTrivia, [])
    return (
      "Mark it '@Replicated(omit)'", Syntax(self), Syntax(plain.with(\.attributes, marks + Array(plain.attributes)))
    )
  }

  /// The fix that makes a constant a variable.
  var variable: OfferedFix {
    ("Make it a 'var'", Syntax(bindingSpecifier), Syntax(TokenSyntax.keyword(.var)))
  }
}

extension PatternBindingSyntax {
  /// The fix that gives a field the usual default of its type; nil for a type that has none.
  func givingDefault(of type: TypeSyntax?) -> OfferedFix? {
    guard typeAnnotation != nil, let value = type?.usualDefault else { return nil }
    let initializer = InitializerClauseSyntax(
      equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space), value: ExprSyntax("\(raw: value)"))
    return ("Add '= \(value)'", Syntax(self), Syntax(with(\.initializer, initializer)))
  }
}

extension TypeSyntax {
  /// The value with which fields of the type usually begin.
  fileprivate var usualDefault: String? {
    if isOptional { return "nil" }
    if self.is(ArrayTypeSyntax.self) { return "[]" }
    if self.is(DictionaryTypeSyntax.self) { return "[:]" }
    switch self.as(IdentifierTypeSyntax.self)?.name.text {
    case "Array", "IdentifiedArray", "IdentifiedArrayOf", "Set": return "[]"
    case "Dictionary": return "[:]"
    case "Bool": return "false"
    case "String": return "\"\""
    case "Double", "Float", "Int", "Int16", "Int32", "Int64", "Int8", "UInt", "UInt16", "UInt32", "UInt64", "UInt8":
      return "0"
    default: return nil
    }
  }
}
