import MacroExpansions
import SwiftSyntax

/// All types that a package declares, by their names.
struct Catalog {
  /// The result of looking a name up.
  enum Found {
    case type(TypeEntry)
    /// A part that `@Reducer` generates, such as the `State` of an enum of features.
    case generated(of: TypeEntry, part: String)
    /// An associated type of a declared type, such as the `ID` that follows from its `id`.
    case associated(TypeEntry)
  }

  private struct Key: Hashable {
    let target: Int
    let path: [String]
  }

  private(set) var files: [(target: Int, source: SourceFile)] = []
  /// All types, in the order of the source.
  private(set) var entries: [TypeEntry] = []
  private var byKey: [Key: TypeEntry] = [:]
  /// Extensions of types that the package does not declare, such as those that a macro generates.
  private(set) var otherExtensions: [String: [TypeEntry.Part]] = [:]

  /// Reads the declarations of all files that the parser understands.
  init(_ package: PackageModel) {
    var extensions: [(target: Int, path: [String], part: TypeEntry.Part)] = []
    for (index, target) in package.targets.enumerated() {
      for file in target.files where !file.hasErrors {
        files.append((index, file))
        let items = file.tree.statements.compactMap { item in item.item.as(DeclSyntax.self) }
        for item in items { add(item, to: [], isConditional: false, &extensions) }
      }
    }
    for (target, path, part) in extensions {
      if case .type(let entry)? = find(path, from: [], in: target) {
        entry.extensions.append(part)
      } else {
        otherExtensions[path.joined(separator: "."), default: []].append(part)
      }
    }
  }

  private mutating func add(
    _ declaration: DeclSyntax, to path: [String], isConditional: Bool,
    _ extensions: inout [(target: Int, path: [String], part: TypeEntry.Part)]
  ) {
    let file = files.count - 1
    if let conditional = declaration.as(IfConfigDeclSyntax.self) {
      for member in conditional.declarations { add(member, to: path, isConditional: true, &extensions) }
    } else if let alias = declaration.as(TypeAliasDeclSyntax.self) {
      entry(path + [alias.name.text]).alias = TypeEntry.Alias(file: file, node: alias)
    } else if let group = declaration.asProtocol((any DeclGroupSyntax).self) {
      let part = TypeEntry.Part(file: file, node: group, isConditional: isConditional)
      let own: [String]
      if let extended = group.as(ExtensionDeclSyntax.self)?.extendedType {
        own = extended.names ?? []
        extensions.append((files[file].target, own, part))
      } else {
        own = path + [group.asProtocol((any NamedDeclSyntax).self)?.name.text ?? ""]
        entry(own).declarations.append(part)
      }
      for member in group.memberBlock.members { add(member.decl, to: own, isConditional: isConditional, &extensions) }
    }
  }

  private mutating func entry(_ path: [String]) -> TypeEntry {
    let target = files[files.count - 1].target
    if let entry = byKey[Key(target: target, path: path)] { return entry }
    let entry = TypeEntry(target: target, path: path)
    byKey[Key(target: target, path: path)] = entry
    entries.append(entry)
    return entry
  }

  /// The type in which a type is declared, if the package declares that too.
  func enclosing(_ entry: TypeEntry) -> TypeEntry? { byKey[Key(target: entry.target, path: entry.path.dropLast())] }

  /// The type with a name within another one.
  func member(_ name: String, of entry: TypeEntry) -> TypeEntry? {
    byKey[Key(target: entry.target, path: entry.path + [name])]
  }

  /// Looks a name up as the compiler does: in the enclosing types from the inside to the outside, then in the module,
  /// then in the other modules of the package.
  func find(_ names: [String], from scope: [String], in target: Int, depth: Int = 0) -> Found? {
    guard let first = names.first, depth < 16 else { return nil }
    if first == "Self", let own = byKey[Key(target: target, path: scope)] {
      return follow(own, names.dropFirst(), depth)
    }
    for length in stride(from: scope.count, through: 0, by: -1) {
      let outer = Array(scope[..<length])
      if let entry = byKey[Key(target: target, path: outer + [first])] {
        return follow(entry, names.dropFirst(), depth)
      }
      // In a feature, what the macro generates hides what is outside.
      if length > 0, let entry = byKey[Key(target: target, path: outer)], entry.isCaseReducer,
        ["State", "Action"].contains(first), names.count == 1
      {
        return .generated(of: entry, part: first)
      }
    }
    let others = Set(files.map(\.target)).subtracting([target]).sorted()
    for other in others {
      if let entry = byKey[Key(target: other, path: [first])] { return follow(entry, names.dropFirst(), depth) }
    }
    return nil
  }

  private func follow(_ entry: TypeEntry, _ rest: ArraySlice<String>, _ depth: Int) -> Found? {
    if rest.isEmpty { return .type(entry) }
    if let alias = entry.alias {
      guard let names = alias.node.initializer.value.names else { return nil }
      return find(names + rest, from: entry.path.dropLast(), in: entry.target, depth: depth + 1)
    }
    guard let name = rest.first else { return nil }
    if let member = member(name, of: entry) { return follow(member, rest.dropFirst(), depth) }
    guard rest.count == 1 else { return nil }
    if entry.isReducer, ["State", "Action", "Body"].contains(name) { return .generated(of: entry, part: name) }
    return .associated(entry)
  }
}

extension TypeSyntax {
  /// The names of `A` or `A.B`, without generic arguments; nil for types of another form.
  var names: [String]? {
    if let identifier = self.as(IdentifierTypeSyntax.self) { return [identifier.name.text] }
    if let member = self.as(MemberTypeSyntax.self), let base = member.baseType.names {
      return base + [member.name.text]
    }
    return nil
  }
}

extension IfConfigDeclSyntax {
  /// The declarations in all its branches.
  var declarations: [DeclSyntax] {
    clauses.flatMap { clause -> [DeclSyntax] in
      switch clause.elements {
      case .decls(let members)?: members.map(\.decl)
      case .statements(let items)?: items.compactMap { $0.item.as(DeclSyntax.self) }
      default: []
      }
    }
  }
}
