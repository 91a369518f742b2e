import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Presents`: an optional child state of an `@ObservableState`, stored in a `PresentationState` named `$name`.
enum PresentsMacro {
  /// The name, and the type of the presented state.
  private static func field(
    _ declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext, complaining: Bool
  ) -> (variable: VariableDeclSyntax, name: String, wrapped: String)? {
    guard let variable = declaration.as(VariableDeclSyntax.self), variable.isVar, let name = variable.name,
      let binding = variable.bindings.first
    else {
      if complaining { context.complain("'@Presents' can only be applied to a 'var' with one name", at: declaration) }
      return nil
    }
    if complaining, let accessors = binding.accessorBlock {
      context.complain(
        """
        The accessors and observers of a '@Presents' field would never run; react to its changes in the reducer, for \
        example with 'onChange'
        """, at: accessors)
    }
    guard let type = binding.typeAnnotation?.type else {
      if complaining {
        context.complain("'@Presents' needs the field's type: 'var \(name): Child.State?'", at: binding)
      }
      return nil
    }
    if let optional = type.as(OptionalTypeSyntax.self) {
      return (variable, name, optional.wrappedType.trimmedDescription)
    }
    if let identifier = type.as(IdentifierTypeSyntax.self), identifier.name.text == "Optional",
      let argument = identifier.genericArgumentClause?.arguments.first
    {
      return (variable, name, argument.argument.trimmedDescription)
    }
    if complaining {
      context.complain(
        "'@Presents' can only be applied to an optional field", at: type,
        fixIt: ("Make it optional", Syntax(type), Syntax("\(type.trimmed)?" as TypeSyntax)))
    }
    return nil
  }
}

extension PresentsMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let (_, name, wrapped) = field(declaration, in: context, complaining: true) else { return [] }
    let storage = storageName(of: name)
    return [
      """
      @storageRestrictions(initializes: \(raw: storage))
      init(initialValue) {
      \(raw: storage) = ComposableCore.PresentationState<\(raw: wrapped)>(wrappedValue: initialValue)
      }
      """,
      """
      get {
      _$observationRegistrar.access(\\Self.\(raw: name))
      return \(raw: storage).wrappedValue
      }
      """,
      """
      set {
      let before = _$observationRegistrar.willModify(\\Self.\(raw: name), \(raw: storage).wrappedValue)
      defer { _$observationRegistrar.didModify(\\Self.\(raw: name), \(raw: storage).wrappedValue, before) }
      \(raw: storage).wrappedValue = newValue
      }
      """,
      """
      _modify {
      let before = _$observationRegistrar.willModify(\\Self.\(raw: name), \(raw: storage).wrappedValue)
      defer { _$observationRegistrar.didModify(\\Self.\(raw: name), \(raw: storage).wrappedValue, before) }
      yield &\(raw: storage).wrappedValue
      }
      """,
    ]
  }
}

extension PresentsMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let (variable, name, wrapped) = field(declaration, in: context, complaining: false) else { return [] }
    let storage = storageName(of: name)
    let access = variable.modifiers.filter { $0.detail == nil }.map { "\($0.name.text) " }.joined()
    let initial =
      variable.bindings.first?.initializer.map { $0.value.trimmedDescription } ?? "nil"
    return [
      """
      \(raw: access)var \(raw: prefixed(name, by: "$")): ComposableCore.PresentationState<\(raw: wrapped)> {
      get {
      _$observationRegistrar.access(\\Self.\(raw: name))
      return \(raw: storage).projectedValue
      }
      set {
      let before = _$observationRegistrar.willModify(\\Self.\(raw: name), \(raw: storage).wrappedValue)
      defer { _$observationRegistrar.didModify(\\Self.\(raw: name), \(raw: storage).wrappedValue, before) }
      \(raw: storage).projectedValue = newValue
      }
      _modify {
      let before = _$observationRegistrar.willModify(\\Self.\(raw: name), \(raw: storage).wrappedValue)
      defer { _$observationRegistrar.didModify(\\Self.\(raw: name), \(raw: storage).wrappedValue, before) }
      yield &\(raw: storage)
      }
      }
      """,
      """
      @ObservationStateIgnored private var \(raw: storage) = \
      ComposableCore.PresentationState<\(raw: wrapped)>(wrappedValue: \(raw: initial))
      """,
    ]
  }
}
