import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@ObservableState`: a state with an identity and individually observed fields.
enum ObservableStateMacro {
  /// Attributes of fields that are observed differently, or not at all.
  static let untracked = [
    "ObservationStateIgnored", "ObservationStateTracked", "Presents", "Shared", "SharedReader",
  ]
}

extension ObservableStateMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let access = declaration.accessOfMembers(in: context)
    if let declaration = declaration.as(EnumDeclSyntax.self) {
      return members(of: declaration, access: access)
    }
    guard declaration.is(StructDeclSyntax.self) else {
      context.complain("'@ObservableState' cannot be applied to \(declaration.kindAndName)", at: node)
      return []
    }
    return [
      "var _$observationRegistrar = ComposableCore.ObservationStateRegistrar()",
      """
      \(raw: access)var _$id: ComposableCore.ObservableStateID {
      _$observationRegistrar.id
      }
      """,
      """
      \(raw: access)mutating func _$willModify() {
      _$observationRegistrar._$willModify()
      }
      """,
    ]
  }

  /// The members to add to an enum.
  static func members(of declaration: EnumDeclSyntax, access: String) -> [DeclSyntax] {
    let cases = EnumCases(of: declaration)
    let identities = cases.lines { enumCase in
      let tag = enumCase.position
      switch enumCase.parameters.count {
      case 0: return "case .\(enumCase.name):\nreturn ComposableCore.ObservableStateID._$inert._$tag(\(tag))"
      case 1: return "case let .\(enumCase.name)(state):\nreturn ._$id(for: state)._$tag(\(tag))"
      default:
        return "case .\(enumCase.name):\n"
          + "return ComposableCore.ObservableStateID._$unobservable._$tag(\(tag))"
      }
    }
    let modifications = cases.lines { enumCase in
      enumCase.parameters.count == 1
        ? "case var .\(enumCase.name)(state):\n"
          + "if ComposableCore._$willModify(&state) { self = .\(enumCase.name)(\(argument(enumCase))) }"
        : "case .\(enumCase.name):\nbreak"
    }
    return [
      """
      \(raw: access)var _$id: ComposableCore.ObservableStateID {
      switch self {
      \(raw: identities)
      }
      }
      """,
      """
      \(raw: access)mutating func _$willModify() {
      switch self {
      \(raw: modifications)
      }
      }
      """,
    ]
  }

  private static func argument(_ enumCase: EnumCase) -> String {
    enumCase.argument(for: enumCase.parameters[0]) + "state"
  }
}

extension ObservableStateMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard declaration.is(StructDeclSyntax.self), let variable = member.as(VariableDeclSyntax.self),
      variable.isVar, variable.isStoredInstanceVariable, !variable.attributes.hasAny(of: untracked)
    else { return [] }
    if let attribute = variable.attributes.attribute(named: "PresentationState") {
      context.complain(
        "'@PresentationState' cannot be used in an '@ObservableState'; use '@Presents'", at: attribute,
        fixIt: ("Use '@Presents' instead", Syntax(attribute), Syntax("@Presents" as AttributeSyntax)))
      return []
    }
    return ["@ObservationStateTracked"]
  }
}

extension ObservableStateMacro: ExtensionMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard !protocols.isEmpty, declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self) else {
      return []
    }
    // Nonisolated also in modules of the main actor, whose extensions would isolate the conformance to `Observable`.
    return [
      try ExtensionDeclSyntax(
        """
        \(raw: declaration.attributes.availability)nonisolated extension \(type.trimmed): ComposableCore.ObservableState, \
        Observation.Observable {}
        """)
    ]
  }
}

/// `@ObservationStateTracked`: a field that notifies its readers when it changes. `@ObservableState` adds it.
enum ObservationStateTrackedMacro {}

extension ObservationStateTrackedMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self), let name = variable.name else {
      context.complain("An observed field is a 'var' with one name: split the declaration", at: declaration)
      return []
    }
    guard !variable.attributes.hasAny(of: ["ObservationStateIgnored"]) else { return [] }
    let storage = storageName(of: name)
    // Observers may access the whole state, so nothing of it may be borrowed while they run.
    let assignment =
      variable.bindings.first?.accessorBlock == nil
      ? "_$observationRegistrar.mutate(\\Self.\(name), &\(storage), newValue)"
      : """
      let before = _$observationRegistrar.willModify(\\Self.\(name), \(storage))
      \(storage) = newValue
      _$observationRegistrar.didModify(\\Self.\(name), \(storage), before)
      """
    return [
      """
      @storageRestrictions(initializes: \(raw: storage))
      init(initialValue) {
      \(raw: storage) = initialValue
      }
      """,
      """
      get {
      _$observationRegistrar.access(\\Self.\(raw: name))
      return \(raw: storage)
      }
      """,
      """
      set {
      \(raw: assignment)
      }
      """,
      """
      _modify {
      let before = _$observationRegistrar.willModify(\\Self.\(raw: name), \(raw: storage))
      defer { _$observationRegistrar.didModify(\\Self.\(raw: name), \(raw: storage), before) }
      yield &\(raw: storage)
      }
      """,
    ]
  }
}

extension ObservationStateTrackedMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard var variable = declaration.as(VariableDeclSyntax.self), let name = variable.name,
      !variable.attributes.hasAny(of: ["ObservationStateIgnored"]), var binding = variable.bindings.first
    else { return [] }
    binding.pattern = PatternSyntax(
      IdentifierPatternSyntax(
        identifier: .identifier(storageName(of: name)), trailingTrivia: binding.pattern.trailingTrivia))
    binding.accessorBlock = binding.accessorBlock.map { ObserverStorage(of: name, in: $0).rewritten }
    variable.bindings = [binding]
    variable.attributes = variable.attributes.filter {
      guard case .attribute(let attribute) = $0 else { return true }
      return attribute.attributeName.trimmedDescription != "ObservationStateTracked"
    }
    // The property has the access modifiers; the storage has those for ownership and isolation.
    let kept = variable.modifiers.filter {
      [.keyword(.weak), .keyword(.unowned), .keyword(.nonisolated)].contains($0.name.tokenKind)
    }
    variable.modifiers = [DeclModifierSyntax(name: .keyword(.private, trailingTrivia: .space))] + kept
    variable.leadingTrivia = []
    variable.bindingSpecifier.leadingTrivia = []
    let attributes = variable.attributes.trimmedDescription
    variable.attributes = []
    return ["@ObservationStateIgnored \(raw: attributes.isEmpty ? "" : attributes + " ")\(variable)"]
  }
}

/// `@ObservationStateIgnored`: a field that is not observed.
enum ObservationStateIgnoredMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] { [] }
}
