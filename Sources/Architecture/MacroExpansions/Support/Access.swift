package import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The access level of a declaration.
enum Access: Comparable {
  case `private`, `fileprivate`, `internal`, `package`, `public`

  /// The keyword, followed by a space.
  var prefix: String { self == .internal ? "" : "\(self) " }
}

extension DeclModifierListSyntax {
  /// The access level as written; internal by default.
  var access: Access {
    for modifier in self where modifier.detail == nil {
      switch modifier.name.tokenKind {
      case .keyword(.public), .keyword(.open): return .public
      case .keyword(.package): return .package
      case .keyword(.fileprivate): return .fileprivate
      case .keyword(.private): return .private
      default: continue
      }
    }
    return .internal
  }

  /// True if an access level is written.
  package var statesAccess: Bool {
    [.public, .open, .package, .internal, .fileprivate, .private].contains { keyword in
      contains { $0.detail == nil && $0.name.tokenKind == .keyword(keyword) }
    }
  }

  /// Returns true if there is such a modifier.
  package func has(_ keyword: Keyword) -> Bool {
    contains { $0.name.tokenKind == .keyword(keyword) }
  }
}

extension AttributeListSyntax {
  /// The attribute with that name, with or without a module.
  package func attribute(named name: String) -> AttributeSyntax? {
    for case .attribute(let attribute) in self {
      let text = attribute.attributeName.trimmedDescription
      if text == name || text.hasSuffix(".\(name)") { return attribute }
    }
    return nil
  }

  /// Returns the attributes except the one with that name.
  func without(_ name: String) -> AttributeListSyntax {
    let removed = attribute(named: name)
    return filter { $0.as(AttributeSyntax.self) != removed }
  }

  /// Returns true if there is one of the attributes.
  package func hasAny(of names: [String]) -> Bool {
    names.contains { attribute(named: $0) != nil }
  }
}

extension DeclGroupSyntax {
  /// The name of the declaration; the type's name for structs, enums, classes and actors.
  var typeName: String? {
    asProtocol((any NamedDeclSyntax).self)?.name.trimmedDescription
  }

  /// The access level. A declaration without one in an extension has the extension's.
  func access(in context: some MacroExpansionContext) -> Access {
    guard !modifiers.statesAccess, let surrounding = context.lexicalContext.first?.as(ExtensionDeclSyntax.self) else {
      return modifiers.access
    }
    return surrounding.modifiers.access
  }

  /// The access level, followed by a space, for members that a macro adds; empty for `private` and `fileprivate` types,
  /// whose members have the same visibility without a keyword.
  func accessOfMembers(in context: some MacroExpansionContext) -> String {
    let access = access(in: context)
    return access < .internal ? "" : access.prefix
  }

  /// The kind and the name for diagnostics: `class type 'Feature'`.
  var kindAndName: String { "\(introducer.text) type\(typeName.map { " '\($0)'" } ?? "")" }

  /// The stored instance variables, with their declarations.
  package var storedVariables: [VariableDeclSyntax] {
    memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }.filter(\.isStoredInstanceVariable)
  }
}

extension VariableDeclSyntax {
  /// True if it is stored in each instance: not static, lazy or computed.
  package var isStoredInstanceVariable: Bool {
    !modifiers.has(.static) && !modifiers.has(.class) && !modifiers.has(.lazy)
      && bindings.allSatisfy(\.isStored)
  }

  /// The type of one of its names as written; in `var x, y: Int`, it follows the last one.
  package func type(of binding: PatternBindingSyntax) -> TypeSyntax? {
    if let type = binding.typeAnnotation?.type { return type }
    guard binding.initializer == nil else { return nil }
    return bindings.drop { $0.id != binding.id }.lazy.compactMap(\.typeAnnotation?.type).first
  }

  /// The name, if it declares only one.
  var name: String? {
    guard bindings.count == 1 else { return nil }
    return bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmedDescription
  }

  /// True if it is mutable.
  package var isVar: Bool { bindingSpecifier.tokenKind == .keyword(.var) }
}

extension PatternBindingSyntax {
  /// True if it has no accessors other than observers.
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

/// The name of a property's storage: `_count`.
func storageName(of name: String) -> String {
  prefixed(name, by: "_")
}

/// A name with a prefix, in backticks if it would otherwise not be an identifier.
func prefixed(_ name: String, by prefix: String) -> String {
  let result = prefix + plain(name)
  return result.contains(where: { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "$" }) ? "`\(result)`" : result
}
