import SwiftSyntax
import SwiftSyntaxBuilder

extension DeclModifierListSyntax {
  /// The access level as written, with a space behind it, for what a macro adds beside the declaration; nothing for
  /// `private` and `fileprivate` types, whose members are as visible without a word.
  var accessOfMembers: String {
    for modifier in self where modifier.detail == nil {
      switch modifier.name.tokenKind {
      case .keyword(.public), .keyword(.open): return "public "
      case .keyword(.package): return "package "
      default: continue
      }
    }
    return ""
  }

  /// Whether a modifier is there.
  func has(_ keyword: Keyword) -> Bool {
    contains { $0.name.tokenKind == .keyword(keyword) }
  }
}

extension AttributeListSyntax {
  /// The attribute of that name, whichever module it is said to be from.
  func attribute(named name: String) -> AttributeSyntax? {
    for case .attribute(let attribute) in self {
      let text = attribute.attributeName.trimmedDescription
      if text == name || text.hasSuffix(".\(name)") { return attribute }
    }
    return nil
  }

  /// Whether one of the attributes is there.
  func hasAny(of names: [String]) -> Bool {
    names.contains { attribute(named: $0) != nil }
  }
}

extension DeclGroupSyntax {
  /// What the declaration is called; the type's name for structs, enums, classes and actors.
  var typeName: String? {
    asProtocol((any NamedDeclSyntax).self)?.name.trimmedDescription
  }

  /// The variables of an instance that hold a value, with their declarations.
  var storedVariables: [VariableDeclSyntax] {
    memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }.filter(\.isStoredInstanceVariable)
  }
}

extension VariableDeclSyntax {
  /// Whether it holds a value in each instance: not static, not lazy, not computed.
  var isStoredInstanceVariable: Bool {
    !modifiers.has(.static) && !modifiers.has(.class) && !modifiers.has(.lazy)
      && bindings.allSatisfy(\.isStored)
  }

  /// The only name that it declares.
  var name: String? {
    guard bindings.count == 1 else { return nil }
    return bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmedDescription
  }

  /// Whether it can be changed.
  var isVar: Bool { bindingSpecifier.tokenKind == .keyword(.var) }
}

extension PatternBindingSyntax {
  /// Whether it has no accessors but observers.
  var isStored: Bool {
    guard let accessorBlock else { return true }
    guard case .accessors(let accessors) = accessorBlock.accessors else { return false }
    return accessors.allSatisfy {
      [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind)
    }
  }
}

/// A name without the backticks that a keyword needs.
func plain(_ name: String) -> String {
  name.hasPrefix("`") && name.hasSuffix("`") ? String(name.dropFirst().dropLast()) : name
}
