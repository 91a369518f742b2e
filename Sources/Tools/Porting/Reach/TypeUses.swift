import MacroExpansions
import SwiftParser
import SwiftSyntax

/// The types that are named in the type of a field or a payload.
struct TypeUses {
  /// A type that is named.
  enum Use {
    case declared(Catalog.Found)
    /// A type of another module.
    case external(String)
    /// A type of which no value can be replicated.
    case refused(String)
  }

  private let catalog: Catalog
  private let scope: [String]
  private let target: Int
  /// The generic parameters in the scope.
  private let parameters: Set<String>
  private(set) var uses: [Use] = []

  init(catalog: Catalog, scope: [String], target: Int, parameters: Set<String>) {
    (self.catalog, self.scope, self.target, self.parameters) = (catalog, scope, target, parameters)
  }

  /// Adds the types in a type.
  mutating func add(_ type: TypeSyntax) {
    if type.as(SomeOrAnyTypeSyntax.self)?.constraint.names == ["Error"] { return uses.append(.external("Error")) }
    if let optional = type.as(OptionalTypeSyntax.self) { return add(optional.wrappedType) }
    if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return add(optional.wrappedType) }
    if let array = type.as(ArrayTypeSyntax.self) { return add(array.element) }
    if let attributed = type.as(AttributedTypeSyntax.self) { return add(attributed.baseType) }
    if let dictionary = type.as(DictionaryTypeSyntax.self) {
      add(dictionary.key)
      return add(dictionary.value)
    }
    if let reason = type.reasonNotToTravel { return uses.append(.refused(reason)) }
    if let tuple = type.as(TupleTypeSyntax.self), let only = tuple.elements.first { return add(only.type) }
    guard let names = type.names else { return uses.append(.external(type.trimmedDescription)) }
    var arguments = type.genericArguments
    // As a payload, it arrives as a 'ReplicatedError'.
    if names.last == "Result", arguments.last?.trimmedDescription == "any Error" || arguments.last?.names == ["Error"] {
      arguments.removeLast()
    }
    addNamed(names, arguments)
  }

  private mutating func addNamed(_ names: [String], _ arguments: [TypeSyntax]) {
    if parameters.contains(names[0]) { return }
    if let found = catalog.find(names, from: scope, in: target) {
      uses.append(.declared(found))
      for argument in arguments { add(argument) }
      return
    }
    let name = names.last ?? ""
    // `IdentifiedActionOf<Row>` has the ids of the row's state and its actions.
    if ["IdentifiedActionOf", "StackActionOf", "PresentationActionOf"].contains(name),
      let feature = arguments.first?.names
    {
      for part in ["State", "Action"] { addNamed(feature + [part], []) }
      return
    }
    // The binding's root is the state that has the action.
    if name == "BindingAction" { return }
    uses.append(.external(names.joined(separator: ".")))
    for argument in arguments { add(argument) }
  }

  /// The type of a property without a written type, as its initial value shows it: `0`, `Stage.waiting`,
  /// `StackState<Path.State>()`. Nil if it does not.
  static func type(of value: ExprSyntax) -> TypeSyntax? {
    if value.is(IntegerLiteralExprSyntax.self) { return "Int" }
    if value.is(StringLiteralExprSyntax.self) { return "String" }
    if value.is(BooleanLiteralExprSyntax.self) { return "Bool" }
    if value.is(FloatLiteralExprSyntax.self) { return "Double" }
    if let call = value.as(FunctionCallExprSyntax.self) { return written(call.calledExpression) }
    if let member = value.as(MemberAccessExprSyntax.self), let base = member.base { return written(base) }
    return nil
  }

  /// The type that an expression names: `Foo`, `Foo.Bar.init`, `[Foo]`, `StackState<Path.State>`.
  private static func written(_ expression: ExprSyntax) -> TypeSyntax? {
    if let call = expression.as(FunctionCallExprSyntax.self) { return written(call.calledExpression) }
    if let member = expression.as(MemberAccessExprSyntax.self),
      member.declName.baseName.text.first?.isLowercase ?? true
    {
      return member.base.flatMap(written)
    }
    if expression.is(ArrayExprSyntax.self) || expression.is(DictionaryExprSyntax.self) {
      let type = parsed(expression.trimmedDescription)
      return type.is(ArrayTypeSyntax.self) || type.is(DictionaryTypeSyntax.self) ? type : nil
    }
    let name = expression.as(GenericSpecializationExprSyntax.self)?.expression ?? expression
    let last = name.as(MemberAccessExprSyntax.self)?.declName ?? name.as(DeclReferenceExprSyntax.self)
    guard let first = last?.baseName.text.first, first.isUppercase else { return nil }
    let type = parsed(expression.trimmedDescription)
    return type.names == nil ? nil : type
  }

  private static func parsed(_ text: String) -> TypeSyntax {
    var parser = Parser(text)
    return TypeSyntax.parse(from: &parser)
  }
}

extension TypeSyntax {
  /// The arguments between the angle brackets.
  var genericArguments: [TypeSyntax] {
    let clause =
      self.as(IdentifierTypeSyntax.self)?.genericArgumentClause ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
    return clause?.arguments.compactMap { $0.argument.as(TypeSyntax.self) } ?? []
  }
}
