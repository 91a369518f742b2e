import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

extension StructDeclSyntax {
  /// Remarks that other modules cannot create a public state or model, because Swift's own initializers are internal.
  ///
  /// A remark, and no warning: an extension, which macros do not see, may have an initializer.
  ///
  /// - Parameter hasDefaults: True if all replicated fields have defaults.
  func remarkMissingInitializer(hasDefaults: Bool, in context: some MacroExpansionContext) {
    guard isPublic(in: context), lacksInitializer, isState(in: context) || context.lexicalContext.isEmpty && hasDefaults
    else { return }
    context.complain(
      """
      '\(name.text)' is public, but has no public initializer, so other modules, such as a hub's program, cannot create \
      it
      """, severity: .remark, at: name, fixIt: hasDefaults ? addingInitializer : nil)
  }

  private func isPublic(in context: some MacroExpansionContext) -> Bool {
    access(in: context) == .public
      && context.lexicalContext.allSatisfy { surrounding in
        surrounding.is(ExtensionDeclSyntax.self)
          || surrounding.asProtocol((any WithModifiersSyntax).self)?.modifiers.access == .public
      }
  }

  private var lacksInitializer: Bool {
    memberBlock.members.allSatisfy { !$0.decl.is(InitializerDeclSyntax.self) && !$0.decl.is(IfConfigDeclSyntax.self) }
  }

  /// True for the state of a reducer, which stores are created with.
  private func isState(in context: some MacroExpansionContext) -> Bool {
    let attributes = context.lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)?.attributes
    return name.text == "State" && attributes?.hasAny(of: ["Reducer"]) == true
  }

  /// The fix that adds an initializer after the stored fields.
  private var addingInitializer: OfferedFix? {
    let members = memberBlock.members
    guard let last = members.lastIndex(where: { $0.decl.as(VariableDeclSyntax.self)?.isStoredInstanceVariable == true })
    else { return nil }
    let indentation = members[last].leadingTrivia.reversed().prefix {
      if case .spaces = $0 { true } else if case .tabs = $0 { true } else { false }
    }
    let initializer = MemberBlockItemSyntax(
      leadingTrivia: .newlines(2) + Trivia(pieces: indentation.reversed()), decl: DeclSyntax("public init() {}"))
    var changed = members
    changed.insert(initializer, at: members.index(after: last))
    return ("Add 'public init() {}'", Syntax(members), Syntax(changed))
  }
}
