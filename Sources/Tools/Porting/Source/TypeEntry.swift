import MacroExpansions
import SwiftSyntax

/// A type that the package declares, with its extensions in all files.
final class TypeEntry {
  /// A declaration, or an extension, in a file.
  struct Part {
    let file: Int
    let node: any DeclGroupSyntax
    /// True if it stands within an `#if`.
    let isConditional: Bool
  }

  /// The other name of a type.
  struct Alias {
    let file: Int
    let node: TypeAliasDeclSyntax
  }

  let target: Int
  /// The names of the enclosing types, and its own.
  let path: [String]
  /// Its declarations: several if each stands within its own `#if`.
  var declarations: [Part] = []
  var extensions: [Part] = []
  var alias: Alias?

  init(target: Int, path: [String]) {
    (self.target, self.path) = (target, path)
  }

  var name: String { path.joined(separator: ".") }
  var parts: [Part] { declarations + extensions }

  var isStruct: Bool { declarations.contains { $0.node.is(StructDeclSyntax.self) } }
  var isEnum: Bool { declarations.contains { $0.node.is(EnumDeclSyntax.self) } }

  func has(attribute: String) -> Bool { declarations.contains { $0.node.attributes.hasAny(of: [attribute]) } }

  /// The types in the inheritance clauses of its declarations and extensions, without their modules.
  var inherited: Set<String> { Self.inherited(by: parts) }

  static func inherited(by parts: [Part]) -> Set<String> {
    let clauses = parts.compactMap(\.node.inheritanceClause)
    let names = clauses.flatMap { $0.inheritedTypes.map(\.type.trimmedDescription) }.flatMap(\.words)
    return Set(names.compactMap { $0.split(separator: ".").last.map(String.init) })
  }

  /// True if `@Reducer` or a conformance makes it a feature.
  var isReducer: Bool { has(attribute: "Reducer") || !inherited.isDisjoint(with: ["Reducer", "ReducerProtocol"]) }
  /// True if `@Reducer` generates its state and actions from its cases.
  var isCaseReducer: Bool { isEnum && has(attribute: "Reducer") }
  /// True if it is marked already, or conforms by code of its own.
  var isReplicated: Bool {
    has(attribute: "Replicated") || !inherited.isDisjoint(with: ["Replicated", "WireValue"])
  }
}

extension String {
  /// The parts between spaces, commas and ampersands.
  fileprivate var words: [String] { split { " &,\n\t".contains($0) }.map(String.init) }
}
