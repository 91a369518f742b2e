import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@DependencyEndpoint`: a closure that reports if it was not provided, and a method with argument labels.
enum DependencyEndpointMacro {
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

    var storage: String { storageName(of: name) }
    var initialValue: ExprSyntax? { variable.bindings.first?.initializer?.value }
    var returned: String { function.returnClause.type.trimmedDescription }
    var returnsVoid: Bool { ["Void", "()", "Swift.Void"].contains(returned) }
    var returnsOptional: Bool {
      let type = function.returnClause.type
      return type.is(OptionalTypeSyntax.self) || type.as(IdentifierTypeSyntax.self)?.name.text == "Optional"
    }
    var parameters: [TupleTypeElementSyntax] { Array(function.parameters) }
    var isAsync: Bool { function.effectSpecifiers?.asyncSpecifier != nil }

    /// Its errors: none, one type, or any.
    private var thrown: String? {
      guard let clause = function.effectSpecifiers?.throwsClause else { return nil }
      return clause.type?.trimmedDescription ?? "any Error"
    }
    var isThrowing: Bool { thrown != nil && thrown != "Never" }
    /// True if it can throw the error that it is not implemented.
    private var throwsAny: Bool { ["any Error", "any Swift.Error", "Error"].contains(thrown) }
    /// True if it has no possible behaviour without an implementation.
    var needsValue: Bool { initialValue == nil && !throwsAny && !returnsVoid && !returnsOptional }

    /// `_ in`, `_, _ in`, or nothing for closures without parameters.
    var ignoredParameters: String {
      parameters.isEmpty ? "" : parameters.map { _ in "_" }.joined(separator: ", ") + " in "
    }

    /// The closure that reports.
    var unimplemented: String {
      let report = "IssueReporting.reportIssue(\"Unimplemented: '\\(Self.self).\(plain(name))'\")"
      if let initialValue {
        let names = parameters.indices.map { "p\($0)" }
        let arguments = zip(parameters, names).map { $0.argument($1) }.joined(separator: ", ")
        let keywords = (isThrowing ? "try " : "") + (isAsync ? "await " : "")
        // Explicit, because the types of errors are not inferred.
        let effects = function.effectSpecifiers?.throwsClause?.type == nil ? nil : function.effectSpecifiers
        let opening =
          names.isEmpty && effects == nil
          ? "" : "\(names.isEmpty ? "()" : names.joined(separator: ", ")) \(effects.map { "\($0.trimmed) " } ?? "")in"
        return """
          { \(opening)
          \(report)
          let placeholder: \(type.trimmedDescription) = \(initialValue.trimmedDescription)
          return \(keywords)placeholder(\(arguments))
          }
          """
      }
      let body: String? =
        if throwsAny {
          "throw IssueReporting.UnimplementedFailure(description: \"\\(Self.self).\(plain(name))\")"
        } else if returnsVoid { nil } else { "return nil" }
      return "{ \(ignoredParameters)\n\(report)\n\(body.map { "\($0)\n" } ?? "")}"
    }
  }
}

extension TupleTypeElementSyntax {
  /// True if the parameter is `inout`.
  private var isInOut: Bool { type.trimmedDescription.hasPrefix("inout ") }

  /// The argument that passes on the parameter's value under a name; an autoclosure is called.
  fileprivate func argument(_ name: String) -> String {
    if isInOut { return "&\(name)" }
    guard let attributes = type.as(AttributedTypeSyntax.self)?.attributes, attributes.hasAny(of: ["autoclosure"])
    else { return name }
    let effects = type.asFunction?.effectSpecifiers
    let keywords = (effects?.throwsClause == nil ? "" : "try ") + (effects?.asyncSpecifier == nil ? "" : "await ")
    return "\(keywords)\(name)()"
  }
}

extension DependencyEndpointMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let endpoint = Endpoint(declaration), endpoint.variable.isVar else {
      context.complain(
        "'@DependencyEndpoint' must be attached to a closure property: a 'var' of a function type", at: node)
      return []
    }
    // Without a value there is no storage; the other role of the macro reports it.
    guard !endpoint.needsValue else { return [] }
    let accessors: [AccessorDeclSyntax] = [
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
    // With an init accessor, the endpoint's value would replace the closure that reports.
    guard endpoint.initialValue == nil else { return accessors }
    return [
      """
      @storageRestrictions(initializes: \(raw: endpoint.storage))
      init(initialValue) {
      \(raw: endpoint.storage) = initialValue
      }
      """
    ] + accessors
  }
}

extension DependencyEndpointMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let endpoint = Endpoint(declaration) else { return [] }
    if endpoint.needsValue {
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
      equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space),
      value: ExprSyntax("{ \(raw: endpoint.ignoredParameters)<#\(raw: endpoint.returned)#> }"))
    let name = plain(endpoint.name)
    let closure =
      endpoint.isThrowing ? "closure '\(name)', which throws errors of one type" : "non-throwing closure '\(name)'"
    context.complain(
      """
      Default value required for \(closure)

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

  /// The endpoint as a method; nil if calling the property looks the same.
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
      parameters.append("\(label) p\(index): \(type.trimmedDescription)")
      arguments.append(parameter.argument("p\(index)"))
    }
    // A typed throw is rethrown with its type.
    let effects = endpoint.function.effectSpecifiers.map { " \($0.trimmedDescription)" } ?? ""
    let keywords = (endpoint.isThrowing ? "try " : "") + (endpoint.isAsync ? "await " : "")
    let returned = endpoint.returnsVoid ? "" : " -> \(endpoint.returned)"
    return """
      \(raw: endpoint.variable.attributes.availability)\(raw: isolation(of: endpoint.type))\(raw: endpoint.access)func \(raw: methodName ?? endpoint.name)\
      (\(raw: parameters.joined(separator: ", ")))\(raw: effects)\(raw: returned) {
      \(raw: keywords)self.\(raw: endpoint.name)(\(raw: arguments.joined(separator: ", ")))
      }
      """
  }

  /// The global actor of a function type, followed by a space.
  private static func isolation(of type: TypeSyntax) -> String {
    let others: Set = ["Sendable", "Swift.Sendable", "escaping", "autoclosure", "convention", "concurrent"]
    let attributes = type.as(AttributedTypeSyntax.self)?.attributes ?? []
    return attributes.compactMap {
      guard case .attribute(let attribute) = $0, attribute.arguments == nil,
        !others.contains(attribute.attributeName.trimmedDescription)
      else { return nil }
      return "\(attribute.trimmed) "
    }.joined()
  }
}
