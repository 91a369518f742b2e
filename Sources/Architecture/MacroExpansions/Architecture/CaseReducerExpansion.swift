import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The expansion of `@Reducer` on an enum: a state, an action, a body and a scope, with a case for each of the enum's
/// cases.
struct CaseReducerExpansion {
  /// The role of a case.
  private enum Kind {
    /// Its payload is a reducer.
    case reducer(type: String)
    /// Its payload is state that any action dismisses, such as an alert.
    case ephemeral(type: String)
    /// It has a payload of state without a reducer, such as several values, or no payload.
    case ignored
  }

  private let declaration: EnumDeclSyntax
  private let access: String
  private let cases: EnumCases
  private let declared: Set<String>
  private let conformances: ReducerMacro.Conformances

  init(_ declaration: EnumDeclSyntax, conformances: ReducerMacro.Conformances, access: String) {
    self.declaration = declaration
    self.conformances = conformances
    self.access = access
    declared = declaration.memberNames
    cases = EnumCases(of: declaration)
  }

  private static func kind(of enumCase: EnumCase) -> Kind {
    guard enumCase.parameters.count == 1, !enumCase.attributes.hasAny(of: ["ReducerCaseIgnored"]) else {
      return .ignored
    }
    let type = enumCase.parameters[0].type
    let name =
      type.as(IdentifierTypeSyntax.self)?.name.text ?? type.as(MemberTypeSyntax.self)?.name.text ?? ""
    let isPrompt = ["AlertState", "ConfirmationDialogState"].contains(name)
    return isPrompt || enumCase.attributes.hasAny(of: ["ReducerCaseEphemeral"])
      ? .ephemeral(type: type.trimmedDescription) : .reducer(type: type.trimmedDescription)
  }

  var members: [DeclSyntax] {
    var members: [DeclSyntax] = []
    if !declared.contains("State") { members.append(state) }
    if !declared.contains("Action") { members.append(action) }
    if !declared.contains("body") { members.append(body) }
    members.append(caseScope)
    members.append(scope)
    return members
  }

  /// Marking a reducer applies to its state and its actions.
  private var replicated: String {
    declaration.attributes.hasAny(of: ["Replicated"]) ? "@Wire.Replicated\n" : ""
  }

  private var state: DeclSyntax {
    let lines = cases.lines { enumCase in
      switch Self.kind(of: enumCase) {
      case .reducer(let type): "case \(enumCase.name)(\(label(enumCase))\(type).State)"
      case .ephemeral, .ignored: "case \(enumCase.text)"
      }
    }
    let inherited =
      ["ComposableCore.CaseReducerState", "CasePaths.CasePathIterable", "Observation.Observable"]
      + conformances.state
    return expanded(
      """
      \(raw: replicated)@dynamicMemberLookup
      \(raw: access)enum State: \(raw: inherited.joined(separator: ", ")) {
      \(raw: access)typealias StateReducer = \(raw: declaration.name.trimmedDescription)
      \(raw: lines)
      }
      """, isState: true)
  }

  private var action: DeclSyntax {
    let lines = cases.lines { enumCase in
      switch Self.kind(of: enumCase) {
      case .reducer(let type): "case \(enumCase.name)(\(type).Action)"
      case .ephemeral(let type): "case \(enumCase.name)(\(type).Action)"
      case .ignored: nil
      }
    }
    let inherited = ["CasePaths.CasePathable", "CasePaths.CasePathIterable"] + conformances.action
    return expanded(
      """
      \(raw: replicated)\(raw: access)enum Action: \(raw: inherited.joined(separator: ", ")) {
      \(raw: lines)
      }
      """)
  }

  private var body: DeclSyntax {
    let scopes = cases.lines { enumCase in
      guard case .reducer(let type) = Self.kind(of: enumCase) else { return nil }
      return """
        ComposableCore.Scope(state: \\Self.State.Cases.\(enumCase.name), action: \\Self.Action.Cases.\(enumCase.name)) {
        \(made(enumCase, of: type))
        }
        """
    }
    let content = scopes.isEmpty ? "ComposableCore.EmptyReducer<Self.State, Self.Action>()" : scopes
    // Not `some Reducer`, because a feature may be a case of its own destinations.
    return """
      \(raw: access)static var body: ComposableCore._CaseReducers<Self.State, Self.Action> {
      return ComposableCore._CaseReducers {
      \(raw: content)
      }
      }
      """
  }

  /// The reducer of a case: its default value for `case timer(Timer = Timer(id: 1))`, the body of an enum reducer for
  /// `case sheet(Sheet.Body)`.
  private func made(_ enumCase: EnumCase, of type: String) -> String {
    if let value = enumCase.parameters[0].defaultValue?.value { return value.trimmedDescription }
    // An enum reducer has no initialiser, but a static body.
    return type.hasSuffix(".Body") ? "\(type.dropLast(4))body" : "\(type)()"
  }

  private var caseScope: DeclSyntax {
    let lines = cases.lines { enumCase in
      switch Self.kind(of: enumCase) {
      case .reducer(let type): "case \(enumCase.name)(ComposableCore.StoreOf<\(type)>)"
      case .ephemeral, .ignored: "case \(enumCase.text)"
      }
    }
    return expanded(
      """
      @dynamicMemberLookup
      \(raw: access)enum CaseScope: CasePaths.CasePathable, CasePaths.CasePathIterable {
      \(raw: lines)
      }
      """)
  }

  /// An enum with the members that `@CasePathable`, and `@ObservableState` for a state, would add.
  ///
  /// These are not attributes in the expansion: the compiler crashes on a file with several enum reducers if macros in
  /// their expansions add extensions, and one expansion is faster than six.
  private func expanded(_ text: DeclSyntax, isState: Bool = false) -> DeclSyntax {
    guard var declaration = text.as(EnumDeclSyntax.self) else { return text }
    let members =
      CasePathMembers(of: declaration, access: access).all
      + (isState ? ObservableStateMacro.members(of: declaration, access: access) : [])
    for member in members {
      declaration.memberBlock.members.append(
        MemberBlockItemSyntax(leadingTrivia: .newline, decl: member, trailingTrivia: .newline))
    }
    return DeclSyntax(declaration)
  }

  private var scope: DeclSyntax {
    let lines = cases.lines { enumCase -> String in
      switch Self.kind(of: enumCase) {
      case .reducer:
        return """
          case .\(enumCase.name):
          return .\(enumCase.name)(store.scope(state: \\.\(enumCase.name), action: \\.\(enumCase.name))!)
          """
      case .ephemeral, .ignored:
        guard !enumCase.parameters.isEmpty else { return "case .\(enumCase.name):\nreturn .\(enumCase.name)" }
        let variables = enumCase.variables.joined(separator: ", ")
        let arguments = zip(enumCase.parameters, enumCase.variables).map { parameter, variable in
          enumCase.argument(for: parameter) + variable
        }
        return """
          case let .\(enumCase.name)(\(variables)):
          return .\(enumCase.name)(\(arguments.joined(separator: ", ")))
          """
      }
    }
    let content = cases.isEmpty ? "switch store.state {}" : "switch store.state {\n\(lines)\n}"
    return """
      @MainActor
      \(raw: access)static func scope(_ store: ComposableCore.Store<Self.State, Self.Action>) -> CaseScope {
      \(raw: content)
      }
      """
  }

  private func label(_ enumCase: EnumCase) -> String {
    enumCase.label(of: enumCase.parameters[0]).map { "\($0): " } ?? ""
  }
}
