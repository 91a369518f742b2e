import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Reducer`: the conformance, case paths for actions, and a feature's missing parts; on an enum, a reducer composed
/// of those in its cases.
enum ReducerMacro {}

extension ReducerMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self) else {
      context.complain("'@Reducer' can only be applied to struct and enum types", at: node)
      return []
    }
    let attributes = declaration.attributes.availability
    let names = Set(protocols.map { $0.trimmedDescription.split(separator: ".").last.map(String.init) ?? "" })
    let conformances: [String]
    if declaration.is(EnumDeclSyntax.self) {
      // Also the inherited protocol: in another file, only those that the expansion names are found.
      conformances = names.contains("Reducer") ? ["CaseReducer", "_CaseReducerCore", "Reducer"] : []
    } else {
      // A struct that states `Reducer` itself may still lack parts.
      conformances = (["Reducer"] + MissingParts(of: declaration).conformances).filter(names.contains)
    }
    guard !conformances.isEmpty else { return [] }
    let list = conformances.map { "ComposableCore.\($0)" }.joined(separator: ", ")
    return [try ExtensionDeclSyntax("\(raw: attributes)extension \(type.trimmed): \(raw: list) {}")]
  }

  /// The conformances requested by `@Reducer(state: .equatable, .hashable, action: .sendable)`.
  struct Conformances {
    var state: [String] = []
    var action: [String] = []

    init(of node: AttributeSyntax) {
      guard case .argumentList(let arguments) = node.arguments else { return }
      var part = \Conformances.state
      for argument in arguments {
        if argument.label?.text == "state" { part = \.state }
        if argument.label?.text == "action" { part = \.action }
        guard let member = argument.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text else { continue }
        self[keyPath: part].append("Swift.\(member.prefix(1).uppercased())\(member.dropFirst())")
      }
    }
  }
}

extension ReducerMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    if let nested = member.as(EnumDeclSyntax.self) {
      let isState = nested.name.text == "State"
      guard isState || nested.name.text == "Action" else { return [] }
      let wanted = isState ? ["CasePathable", "dynamicMemberLookup"] : ["CasePathable"]
      return wanted.filter { !nested.attributes.hasAny(of: [$0]) }.map { "@\(raw: $0)" }
    }
    if let body = member.as(VariableDeclSyntax.self), body.name == "body", !body.modifiers.has(.static),
      body.bindings.first?.accessorBlock != nil, !body.attributes.hasAny(of: ["ReducerBuilder"]),
      let type = body.bindings.first?.typeAnnotation?.type.as(SomeOrAnyTypeSyntax.self),
      let constraint = type.constraint.as(IdentifierTypeSyntax.self)
        ?? type.constraint.as(MemberTypeSyntax.self).map({
          IdentifierTypeSyntax(name: $0.name, genericArgumentClause: $0.genericArgumentClause)
        })
    {
      return [builder(for: constraint, reporting: body, in: context)].compactMap(\.self)
    }
    if let function = member.as(FunctionDeclSyntax.self), function.name.text == "reduce",
      declaration.memberBlock.members.contains(where: {
        $0.decl.as(VariableDeclSyntax.self)?.name == "body"
      }), function.isRequirementOfReducer
    {
      context.complain(
        """
        A 'reduce' method should not be defined in a reducer with a 'body'; it takes precedence and 'body' will never \
        be invoked
        """, severity: .warning, at: function.name)
    }
    return []
  }

  /// The result builder for a body, depending on its type.
  private static func builder(
    for constraint: IdentifierTypeSyntax, reporting body: VariableDeclSyntax, in context: some MacroExpansionContext
  ) -> AttributeSyntax? {
    let arguments = constraint.genericArgumentClause.map { Array($0.arguments) } ?? []
    switch (constraint.name.text, arguments.count) {
    case ("ReducerOf", 1):
      let feature = arguments[0].trimmedDescription
      return "@ComposableCore.ReducerBuilder<\(raw: feature).State, \(raw: feature).Action>"
    case ("Reducer", 2):
      let list = arguments.map { $0.argument.trimmedDescription }.joined(separator: ", ")
      return "@ComposableCore.ReducerBuilder<\(raw: list)>"
    case ("Reducer", 0):
      context.complain(
        "'body' says neither state nor action; write 'some ReducerOf<Self>'", severity: .warning, at: constraint,
        fixIt: ("Write 'ReducerOf<Self>'", Syntax(constraint), Syntax("ReducerOf<Self>" as TypeSyntax)))
      return nil
    default: return nil
    }
  }
}

extension ReducerMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if let declaration = declaration.as(EnumDeclSyntax.self) {
      return CaseReducerExpansion(
        declaration, conformances: Conformances(of: node), access: declaration.accessOfMembers(in: context)
      ).members
    }
    guard let declaration = declaration.as(StructDeclSyntax.self) else { return [] }
    let access = declaration.accessOfMembers(in: context)
    let missing = MissingParts(of: declaration)
    var members: [DeclSyntax] = []
    if missing.state == .written {
      members.append(
        """
        @ObservableState
        \(raw: access)struct State: Codable, Equatable, Hashable, Sendable {
        \(raw: access)init() {}
        }
        """)
    }
    if missing.action == .written {
      members.append(
        """
        @CasePathable
        \(raw: access)enum Action: Equatable, Hashable, Sendable {}
        """)
    }
    if missing.body == .written {
      members.append("\(raw: access)let body = ComposableCore.EmptyReducer<State, Action>()")
    }
    return members
  }
}

/// The parts that a feature's struct lacks, and how to add them.
private struct MissingParts {
  enum Remedy {
    /// It exists.
    case none
    /// The macro generates it.
    case written
    /// It may be in an extension, which the macro does not see; otherwise a protocol provides it.
    case defaulted
  }

  let state: Remedy
  let action: Remedy
  let body: Remedy

  init(of declaration: some DeclGroupSyntax) {
    let names = declaration.memberNames
    let reduces = names.contains("body") || names.contains("reduce")
    state = names.contains("State") ? .none : reduces ? .defaulted : .written
    action = names.contains("Action") ? .none : reduces ? .defaulted : .written
    body = reduces ? .none : state == .none || action == .none ? .defaulted : .written
  }

  var conformances: [String] {
    [("_DefaultState", state), ("_DefaultAction", action), ("_DefaultBody", body)]
      .filter { $0.1 == .defaulted }.map(\.0)
  }
}

extension DeclGroupSyntax {
  /// The names of the members, whether they are compiled or not.
  var memberNames: Set<String> {
    func names(in declaration: DeclSyntax) -> [String] {
      if let variable = declaration.as(VariableDeclSyntax.self) { return [variable.name].compactMap(\.self) }
      if let conditional = declaration.as(IfConfigDeclSyntax.self) {
        return conditional.clauses.flatMap { clause -> [String] in
          guard case .decls(let members) = clause.elements else { return [] }
          return members.flatMap { names(in: $0.decl) }
        }
      }
      return [declaration.asProtocol((any NamedDeclSyntax).self)?.name.text].compactMap(\.self)
    }
    return Set(memberBlock.members.flatMap { names(in: $0.decl) })
  }
}

/// Marks a case of an enum reducer; `@Reducer` reads it.
enum ReducerCaseMarkerMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    if !declaration.is(EnumCaseDeclSyntax.self) {
      context.complain(
        "'@\(node.attributeName.trimmedDescription)' can only be applied to an enum's case", at: node)
    }
    return []
  }
}

extension FunctionDeclSyntax {
  /// True for `reduce(into:action:)` of the reducer's own action, and false for a method for a part of its actions.
  fileprivate var isRequirementOfReducer: Bool {
    let parameters = signature.parameterClause.parameters
    guard parameters.map(\.firstName.text) == ["into", "action"], let type = parameters.last?.type.trimmedDescription
    else { return false }
    return type == "Action" || type.hasSuffix(".Action")
  }
}
