import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@DependencyEndpoint`: a closure that reports when nobody gave it, and a method with its argument labels.
public enum DependencyEndpointMacro {
  private struct Endpoint {
    let variable: VariableDeclSyntax
    let name: String
    let type: TypeSyntax
    let function: FunctionTypeSyntax
    let access: String

    init?(_ declaration: some DeclSyntaxProtocol) {
      guard let variable = declaration.as(VariableDeclSyntax.self), let name = variable.name,
        let type = variable.bindings.first?.typeAnnotation?.type, let function = type.asFunction
      else { return nil }
      (self.variable, self.name, self.type, self.function) = (variable, name, type, function)
      access = variable.modifiers.filter { $0.detail == nil }.map { "\($0.name.text) " }.joined()
    }

    var storage: String { "_\(plain(name))" }
    var initialValue: ExprSyntax? { variable.bindings.first?.initializer?.value }
    var isThrowing: Bool { function.effectSpecifiers?.throwsClause != nil }
    var isAsync: Bool { function.effectSpecifiers?.asyncSpecifier != nil }
    var returned: String { function.returnClause.type.trimmedDescription }
    var returnsVoid: Bool { ["Void", "()", "Swift.Void"].contains(returned) }
    var returnsOptional: Bool { returned.hasSuffix("?") }
    var parameters: [TupleTypeElementSyntax] { Array(function.parameters) }

    /// `_ in`, `_, _ in`, or nothing for closures without parameters.
    var ignoredParameters: String {
      parameters.isEmpty ? "" : parameters.map { _ in "_" }.joined(separator: ", ") + " in "
    }

    /// The closure that reports.
    var unimplemented: String {
      let report = "IssueReporting.reportIssue(\"Unimplemented: '\\(Self.self).\(plain(name))'\")"
      if isThrowing {
        return
          "{ \(ignoredParameters)\n\(report)\nthrow IssueReporting.UnimplementedFailure(description: \"\\(Self.self).\(plain(name))\")\n}"
      }
      if returnsVoid { return "{ \(ignoredParameters)\n\(report)\n}" }
      if returnsOptional { return "{ \(ignoredParameters)\n\(report)\nreturn nil\n}" }
      guard let initialValue else { return "{ \(ignoredParameters)\nfatalError()\n}" }
      return "{ ("
        + parameters.indices.map { "p\($0): \(parameters[$0].type.trimmedDescription)" }
        .joined(separator: ", ")
        + ")\(isAsync ? " async" : "") -> \(returned) in\n\(report)\nlet placeholder: \(type.trimmedDescription) = "
        + "\(initialValue.trimmedDescription)\nreturn \(isAsync ? "await " : "")placeholder("
        + parameters.indices.map { "p\($0)" }.joined(separator: ", ") + ")\n}"
    }
  }
}

extension DependencyEndpointMacro: AccessorMacro {
  public static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let endpoint = Endpoint(declaration), endpoint.variable.isVar else {
      context.complain(
        "'@DependencyEndpoint' must be attached to a closure property: a 'var' of a function type", at: node)
      return []
    }
    return [
      """
      @storageRestrictions(initializes: \(raw: endpoint.storage))
      init(initialValue) {
      \(raw: endpoint.storage) = initialValue
      }
      """,
      """
      get {
      \(raw: endpoint.storage)
      }
      """,
      """
      set {
      \(raw: endpoint.storage) = newValue
      }
      """,
    ]
  }
}

extension DependencyEndpointMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let endpoint = Endpoint(declaration) else { return [] }
    if endpoint.initialValue == nil, !endpoint.isThrowing, !endpoint.returnsVoid, !endpoint.returnsOptional {
      complainOfMissingDefault(endpoint, in: context)
      return []
    }
    var declarations: [DeclSyntax] = []
    if let method = method(of: endpoint, methodName: try methodName(in: node)) { declarations.append(method) }
    declarations.append(
      "private var \(raw: endpoint.storage): \(endpoint.type.trimmed) = \(raw: endpoint.unimplemented)")
    return declarations
  }

  private static func complainOfMissingDefault(_ endpoint: Endpoint, in context: some MacroExpansionContext) {
    guard let binding = endpoint.variable.bindings.first else { return }
    var mended = binding
    mended.initializer = InitializerClauseSyntax(
      leadingTrivia: .space, value: ExprSyntax("{ \(raw: endpoint.ignoredParameters)<#\(raw: endpoint.returned)#> }"))
    context.complain(
      """
      Default value required for non-throwing closure '\(plain(endpoint.name))'

      Defaults are required so that the macro can generate a default, "unimplemented" version of the dependency via \
      'reportIssue'.
      """,
      at: binding,
      fixIt: ("Insert '= { \(endpoint.ignoredParameters)<#\(endpoint.returned)#> }'", Syntax(binding), Syntax(mended)))
  }

  private static func methodName(in node: AttributeSyntax) throws -> String? {
    guard case .argumentList(let arguments) = node.arguments,
      let argument = arguments.first(where: { $0.label?.text == "method" })
    else { return nil }
    let name = argument.expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    return name?.isEmpty == true ? nil : name
  }

  /// The endpoint as a method; nil when the property itself is called in the same way.
  private static func method(of endpoint: Endpoint, methodName: String?) -> DeclSyntax? {
    let labels = endpoint.parameters.map { parameter in
      (parameter.secondName ?? (parameter.firstName?.text == "_" ? nil : parameter.firstName))?.text
    }
    guard methodName != nil || labels.contains(where: { $0 != nil }) else { return nil }
    var parameters: [String] = []
    var arguments: [String] = []
    for (index, parameter) in endpoint.parameters.enumerated() {
      let label = labels[index] ?? "_"
      let type = parameter.type
      let inOut = type.trimmedDescription.hasPrefix("inout ")
      let escaping = type.asFunction != nil && !inOut ? "@escaping " : ""
      parameters.append("\(label) p\(index): \(escaping)\(type.trimmedDescription)")
      arguments.append((inOut ? "&" : "") + "p\(index)")
    }
    // A typed throw is rethrown as it is.
    let effects = endpoint.function.effectSpecifiers.map { " \($0.trimmedDescription)" } ?? ""
    let keywords = (endpoint.isThrowing ? "try " : "") + (endpoint.isAsync ? "await " : "")
    let returned = endpoint.returnsVoid ? "" : " -> \(endpoint.returned)"
    let attributes = isMainActor(endpoint.type) ? "@MainActor " : ""
    return """
      \(raw: attributes)\(raw: endpoint.access)func \(raw: methodName ?? endpoint.name)\
      (\(raw: parameters.joined(separator: ", ")))\(raw: effects)\(raw: returned) {
      \(raw: keywords)self.\(raw: endpoint.name)(\(raw: arguments.joined(separator: ", ")))
      }
      """
  }

  private static func isMainActor(_ type: TypeSyntax) -> Bool {
    type.as(AttributedTypeSyntax.self)?.attributes.hasAny(of: ["MainActor"]) ?? false
  }
}
