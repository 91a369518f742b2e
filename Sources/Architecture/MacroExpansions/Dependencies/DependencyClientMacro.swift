import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@DependencyClient`: endpoints that report if a test did not override them, and the initialisers.
enum DependencyClientMacro {}

extension DependencyClientMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard declaration.is(StructDeclSyntax.self), let variable = member.as(VariableDeclSyntax.self),
      variable.isVar, variable.name != nil, variable.isStoredInstanceVariable, variable.endpointType != nil,
      !variable.attributes.hasAny(of: ["DependencyEndpoint"])
    else { return [] }
    return ["@DependencyEndpoint"]
  }
}

extension DependencyClientMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let declaration = declaration.as(StructDeclSyntax.self) else {
      context.complain("'@DependencyClient' can only be applied to struct types", at: node)
      return []
    }
    var fields: [Field] = []
    for variable in declaration.storedVariables {
      for binding in variable.bindings {
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmedDescription else {
          continue
        }
        guard let type = variable.type(of: binding) ?? binding.initializer?.value.literalType else {
          guard variable.isVar || binding.initializer == nil else { continue }
          context.complain(
            "'@DependencyClient' requires '\(name)' to have a type annotation in order to generate a "
              + "memberwise initializer", at: binding)
          return []
        }
        if variable.name == nil, variable.isVar, type.asFunction != nil {
          context.complain("An endpoint is a 'var' with one name: split the declaration", at: binding)
          return []
        }
        fields.append(Field(name, type, of: binding, in: variable))
      }
    }
    let parameters = fields.filter(\.isParameter)
    // As for the compiler's memberwise initialiser, all fields must be visible to the caller.
    let access = ([max(declaration.access(in: context), .internal)] + parameters.map(\.access)).min() ?? .internal
    let memberwise = initializer(parameters, access: access.prefix)
    // A further initialiser without the endpoints. Calls of these endpoints are reported as issues.
    guard parameters.contains(where: \.isEndpoint) else { return [memberwise] }
    let others = parameters.filter { !$0.isEndpoint }
    guard others.isEmpty else { return [memberwise, initializer(others, access: access.prefix)] }
    guard !declaration.hasEmptyInitializer else { return [memberwise] }
    return [memberwise, "\(raw: access.prefix)init() {}"]
  }

  private static func initializer(_ fields: [Field], access: String) -> DeclSyntax {
    let parameters = fields.map { field in
      let value = field.isEndpoint ? "" : (field.initialValue ?? (field.isNil ? "nil" : nil)).map { " = \($0)" } ?? ""
      return "\(field.name): \(field.isFunction ? "@escaping " : "")\(field.type)\(value)"
    }
    let assignments = fields.map { "self.\($0.name) = \($0.name)" }
    return """
      \(raw: access)init(\(raw: parameters.joined(separator: ", "))) {
      \(raw: assignments.joined(separator: "\n"))
      }
      """
  }

  /// A field of a client, as a parameter of the memberwise initialiser.
  private struct Field {
    let name: String
    let type: String
    let isFunction: Bool
    let isEndpoint: Bool
    /// False for a constant or private field that has a value.
    let isParameter: Bool
    let initialValue: String?
    /// True if it is nil by default.
    let isNil: Bool
    let access: Access

    init(_ name: String, _ type: TypeSyntax, of binding: PatternBindingSyntax, in variable: VariableDeclSyntax) {
      self.name = name
      isFunction = type.asFunction != nil
      isEndpoint = isFunction && variable.isVar
      self.type = type.trimmedDescription
      initialValue = binding.initializer?.value.trimmedDescription
      isNil = variable.isVar && type.is(OptionalTypeSyntax.self)
      access = variable.modifiers.access
      isParameter = (variable.isVar && access != .private) || initialValue == nil
    }
  }
}

extension StructDeclSyntax {
  /// True if it declares an initialiser without arguments.
  fileprivate var hasEmptyInitializer: Bool {
    memberBlock.members.contains {
      $0.decl.as(InitializerDeclSyntax.self)?.signature.parameterClause.parameters.isEmpty ?? false
    }
  }
}

extension VariableDeclSyntax {
  /// The function type of a field that is a closure and is not optional.
  var endpointType: FunctionTypeSyntax? {
    bindings.first?.typeAnnotation?.type.asFunction
  }
}

extension ExprSyntax {
  /// The type of a literal; nil for other expressions.
  fileprivate var literalType: TypeSyntax? {
    switch kind {
    case .booleanLiteralExpr: "Swift.Bool"
    case .floatLiteralExpr: "Swift.Double"
    case .integerLiteralExpr: "Swift.Int"
    case .stringLiteralExpr: "Swift.String"
    default: nil
    }
  }
}

extension TypeSyntax {
  /// The function type inside attributes and parentheses.
  var asFunction: FunctionTypeSyntax? {
    if let function = self.as(FunctionTypeSyntax.self) { return function }
    if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.asFunction }
    if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first {
      return only.type.asFunction
    }
    return nil
  }
}
