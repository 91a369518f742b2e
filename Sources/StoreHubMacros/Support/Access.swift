import SwiftSyntax
import SwiftSyntaxBuilder

/// From where a declaration can be used.
enum Access: Comparable {
  case `private`, `fileprivate`, `internal`, `package`, `public`

  /// The word for it with a space behind it.
  var prefix: String { self == .internal ? "" : "\(self) " }
}

extension DeclModifierListSyntax {
  /// The access level as written; internal when nothing is.
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

  /// The access level as written, with a space behind it, for what a macro adds beside the declaration; nothing for
  /// `private` and `fileprivate` types, whose members are as visible without a word.
  var accessOfMembers: String {
    access < .internal ? "" : access.prefix
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

  /// What it is, for diagnostics: `class type 'Feature'`.
  var kindAndName: String { "\(introducer.text) type\(typeName.map { " '\($0)'" } ?? "")" }

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

/// What holds the value behind a property: `_count`.
func storageName(of name: String) -> String {
  prefixed(name, by: "_")
}

/// A name with something before it, in backticks where it would be no identifier without.
func prefixed(_ name: String, by prefix: String) -> String {
  let result = prefix + plain(name)
  return result.contains(where: { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "$" }) ? "`\(result)`" : result
}
