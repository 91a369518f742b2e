import SwiftSyntax
import SwiftSyntaxBuilder

/// A change that the compiler offers with a diagnostic.
typealias OfferedFix = (message: String, old: Syntax, new: Syntax)

extension VariableDeclSyntax {
  /// The fix that marks the field `@Replicated(omit)`.
  var omitting: OfferedFix { adding("@Replicated(omit)", "Mark it '@Replicated(omit)'") }

  /// The fix that adds an attribute in the field's line.
  func adding(_ attribute: AttributeSyntax, _ message: String) -> OfferedFix {
    let plain = with(\.leadingTrivia, [])
    return (message, Syntax(self), Syntax(plain.with(\.attributes, plain.attributes.beginning(with: attribute))))
  }

  /// The fix that makes a constant a variable.
  var variable: OfferedFix {
    ("Make it a 'var'", Syntax(bindingSpecifier), Syntax(TokenSyntax.keyword(.var)))
  }
}

extension EnumCaseDeclSyntax {
  /// The fix that adds an attribute in the case's line.
  func adding(_ attribute: AttributeSyntax, _ message: String) -> OfferedFix {
    let plain = with(\.leadingTrivia, [])
    return (message, Syntax(self), Syntax(plain.with(\.attributes, plain.attributes.beginning(with: attribute))))
  }
}

extension AttributeListSyntax {
  fileprivate func beginning(with attribute: AttributeSyntax) -> AttributeListSyntax {
    AttributeListSyntax([.attribute(attribute.with(\.trailingTrivia, .space))] + Array(self))
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
