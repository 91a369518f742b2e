import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// What `@Reducer` makes of an enum: a state, an action, a body and a scope, with a case for each of its own.
struct CaseReducerExpansion {
  /// How a case takes part.
  private enum Kind {
    /// Its payload is a reducer.
    case reducer(type: String)
    /// Its payload is state that goes away with any action: an alert.
    case ephemeral(type: String)
    /// Its payload is state without a reducer, or there is none.
    case ignored
  }

  private let declaration: EnumDeclSyntax
  private let access: String
  private let cases: [(enumCase: EnumCase, kind: Kind)]
  private let declared: Set<String>

  init(_ declaration: EnumDeclSyntax, in context: some MacroExpansionContext) throws {
    self.declaration = declaration
    access = declaration.modifiers.accessOfMembers
    declared = Set(
      declaration.memberBlock.members.compactMap { member in
        member.decl.as(VariableDeclSyntax.self)?.name
          ?? member.decl.asProtocol((any NamedDeclSyntax).self)?.name.text
      })
    cases = declaration.cases.map { ($0, Self.kind(of: $0)) }
    for enumCase in declaration.cases where enumCase.parameters.count > 1 {
      if !enumCase.attributes.hasAny(of: ["ReducerCaseIgnored"]) {
        context.complain(
          """
          '@Reducer' cannot be applied to enum cases with more than one associated value; mark the case with \
          '@ReducerCaseIgnored' to hold plain state
          """, at: enumCase.element)
      }
    }
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

  /// A reducer that is marked means its state and its actions.
  private var replicated: String {
    declaration.attributes.hasAny(of: ["Replicated"]) ? "\n@Wire.Replicated" : ""
  }

  private var state: DeclSyntax {
    let lines = cases.map { enumCase, kind in
      switch kind {
      case .reducer(let type): "case \(enumCase.name)(\(label(enumCase))\(type).State)"
      case .ephemeral, .ignored: "case \(enumCase.element.trimmedDescription)"
      }
    }
    return """
      @CasePathable
      @dynamicMemberLookup
      @ObservableState\(raw: replicated)
      \(raw: access)enum State: ComposableArchitecture.CaseReducerState {
      \(raw: access)typealias StateReducer = \(raw: declaration.name.trimmedDescription)
      \(raw: lines.joined(separator: "\n"))
      }
      """
  }

  private var action: DeclSyntax {
    let lines = cases.compactMap { enumCase, kind -> String? in
      switch kind {
      case .reducer(let type): "case \(enumCase.name)(\(type).Action)"
      case .ephemeral(let type): "case \(enumCase.name)(\(type).Action)"
      case .ignored: nil
      }
    }
    return """
      @CasePathable\(raw: replicated)
      \(raw: access)enum Action {
      \(raw: lines.joined(separator: "\n"))
      }
      """
  }

  private var body: DeclSyntax {
    let scopes = cases.compactMap { enumCase, kind -> String? in
      guard case .reducer(let type) = kind else { return nil }
      return """
        ComposableArchitecture.Scope(state: \\Self.State.Cases.\(enumCase.name), action: \\Self.Action.Cases.\(enumCase.name)) {
        \(made(enumCase, of: type))
        }
        """
    }
    let content =
      scopes.isEmpty ? "ComposableArchitecture.EmptyReducer<Self.State, Self.Action>()" : scopes.joined(separator: "\n")
    return """
      @ComposableArchitecture.ReducerBuilder<Self.State, Self.Action>
      \(raw: access)static var body: some ComposableArchitecture.Reducer<Self.State, Self.Action> {
      \(raw: content)
      }
      """
  }

  /// A case with a default value, `case timer(Timer = Timer(id: 1))`, is made by that value.
  private func made(_ enumCase: EnumCase, of type: String) -> String {
    enumCase.parameters[0].defaultValue?.value.trimmedDescription ?? "\(type)()"
  }

  private var caseScope: DeclSyntax {
    let lines = cases.map { enumCase, kind in
      switch kind {
      case .reducer(let type): "case \(enumCase.name)(ComposableArchitecture.StoreOf<\(type)>)"
      case .ephemeral, .ignored: "case \(enumCase.element.trimmedDescription)"
      }
    }
    return """
      @CasePathable
      @dynamicMemberLookup
      \(raw: access)enum CaseScope {
      \(raw: lines.joined(separator: "\n"))
      }
      """
  }

  private var scope: DeclSyntax {
    let lines = cases.map { enumCase, kind -> String in
      switch kind {
      case .reducer:
        return """
          case .\(enumCase.name):
          return .\(enumCase.name)(store.scope(state: \\.\(enumCase.name), action: \\.\(enumCase.name))!)
          """
      case .ephemeral, .ignored:
        guard !enumCase.parameters.isEmpty else { return "case .\(enumCase.name):\nreturn .\(enumCase.name)" }
        let variables = enumCase.variables.joined(separator: ", ")
        let arguments = zip(enumCase.parameters, enumCase.variables).map { parameter, variable in
          (enumCase.label(of: parameter).map { "\($0): " } ?? "") + variable
        }
        return """
          case let .\(enumCase.name)(\(variables)):
          return .\(enumCase.name)(\(arguments.joined(separator: ", ")))
          """
      }
    }
    let content = cases.isEmpty ? "switch store.state {}" : "switch store.state {\n\(lines.joined(separator: "\n"))\n}"
    return """
      @MainActor
      \(raw: access)static func scope(_ store: ComposableArchitecture.Store<Self.State, Self.Action>) -> CaseScope {
      \(raw: content)
      }
      """
  }

  private func label(_ enumCase: EnumCase) -> String {
    enumCase.label(of: enumCase.parameters[0]).map { "\($0): " } ?? ""
  }
}
