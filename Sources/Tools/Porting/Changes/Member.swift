import MacroExpansions
import SwiftSyntax

/// A member of a type that may become public.
struct Member {
  let modifiers: DeclModifierListSyntax
  /// The offset of its modifiers or its keyword.
  let place: Int
  /// The parts that name types which must then be public too.
  let signature: [Syntax?]
  /// True if the source shows its type.
  let isTypeKnown: Bool
  /// True if it is a stored property of each instance.
  let isStored: Bool
  /// True for the members that make a type a feature, and for initializers.
  let isNeeded: Bool

  /// Nil for a declaration of another kind, such as a nested type.
  init?(_ declaration: DeclSyntax) {
    let keyword: TokenSyntax
    if let variable = declaration.as(VariableDeclSyntax.self) {
      (modifiers, keyword) = (variable.modifiers, variable.bindingSpecifier)
      let types = variable.bindings.map { binding in
        variable.type(of: binding) ?? binding.initializer.flatMap { TypeUses.type(of: $0.value) }
      }
      let wrappers = variable.attributes.compactMap { $0.as(AttributeSyntax.self).map { Syntax($0.attributeName) } }
      isTypeKnown = !types.contains { $0 == nil }
      signature = types.map { $0.map(Syntax.init) } + wrappers
      isStored = variable.isStoredInstanceVariable
      isNeeded = variable.bindings.first?.pattern.trimmedDescription == "body"
    } else if let function = declaration.as(FunctionDeclSyntax.self) {
      (modifiers, keyword) = (function.modifiers, function.funcKeyword)
      signature = [
        Syntax(function.signature), function.genericParameterClause.map(Syntax.init),
        function.genericWhereClause.map(Syntax.init),
      ]
      (isTypeKnown, isStored) = (true, false)
      isNeeded = function.name.text == "reduce"
    } else if let initializer = declaration.as(InitializerDeclSyntax.self) {
      (modifiers, keyword) = (initializer.modifiers, initializer.initKeyword)
      signature = [
        Syntax(initializer.signature), initializer.genericParameterClause.map(Syntax.init),
        initializer.genericWhereClause.map(Syntax.init),
      ]
      (isTypeKnown, isStored, isNeeded) = (true, false, true)
    } else if let script = declaration.as(SubscriptDeclSyntax.self) {
      (modifiers, keyword) = (script.modifiers, script.subscriptKeyword)
      signature = [
        Syntax(script.parameterClause), Syntax(script.returnClause), script.genericParameterClause.map(Syntax.init),
        script.genericWhereClause.map(Syntax.init),
      ]
      (isTypeKnown, isStored, isNeeded) = (true, false, false)
    } else {
      return nil
    }
    place = modifiers.first?.start ?? keyword.start
  }
}
