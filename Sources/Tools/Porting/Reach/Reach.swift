import MacroExpansions
import SwiftSyntax

/// The types that must be replicated: the states and actions of features, and the types of their fields and payloads.
struct Reach {
  let catalog: Catalog
  /// The features, in the order in which they were reached.
  private(set) var reducers: [TypeEntry] = []
  /// The types to be replicated, in the order in which they were reached.
  private(set) var replicated: [TypeEntry] = []
  /// Other names of these types.
  private(set) var aliases: [TypeEntry] = []
  private(set) var findings: [Finding] = []
  /// The files with types that the rest of Foundation declares.
  private(set) var filesOfFoundation: Set<Int> = []
  /// The types with a part that cannot be sent to another task, as far as their form shows it.
  private(set) var notSendable: Set<ObjectIdentifier> = []
  private var visited: Set<ObjectIdentifier> = []
  /// The types that have a field or a payload of a type.
  private var users: [ObjectIdentifier: [TypeEntry]] = [:]

  init(catalog: Catalog) {
    self.catalog = catalog
  }

  /// Adds a feature or another type, and all that it reaches.
  mutating func add(_ entry: TypeEntry) {
    if entry.isReducer { reach(reducer: entry) } else { replicate(entry) }
  }

  /// Marks the types that have a field of a type that cannot be sent, at any depth.
  mutating func finish() {
    var pending = Array(notSendable)
    while let id = pending.popLast() {
      for user in users[id] ?? [] where notSendable.insert(ObjectIdentifier(user)).inserted {
        pending.append(ObjectIdentifier(user))
      }
    }
  }

  private mutating func reach(reducer entry: TypeEntry) {
    guard visited.insert(ObjectIdentifier(entry)).inserted else { return }
    reducers.append(entry)
    if entry.isCaseReducer { replicate(casesOf: entry) }
    for name in ["State", "Action"] {
      if let part = catalog.member(name, of: entry) { replicate(part) }
    }
    for part in entry.declarations {
      // The marks of its state and actions do not see where the parameters come from.
      let clause = part.node.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause
      for parameter in clause.map({ Array($0.parameters) }) ?? []
      where !(parameter.inheritedType?.trimmedDescription.contains("Replicated") ?? false) {
        leave("'\(entry.name)' is generic: let '\(parameter.name.text)' be 'Replicated' too", at: parameter, part.file)
      }
      for variable in part.node.storedVariables { note(dependency: variable, in: part.file) }
    }
  }

  private mutating func replicate(_ entry: TypeEntry) {
    guard visited.insert(ObjectIdentifier(entry)).inserted else { return }
    if let alias = entry.alias {
      aliases.append(entry)
      visit(
        alias.node.initializer.value, of: entry, scope: Array(entry.path.dropLast()), at: Syntax(alias.node), alias.file
      )
      return
    }
    replicated.append(entry)
    for part in entry.declarations {
      if part.node.is(EnumDeclSyntax.self) {
        for member in part.node.memberBlock.members { visit(member.decl, of: entry, in: part.file) }
      } else {
        for member in part.node.memberBlock.members { visit(field: member.decl, of: entry, in: part.file) }
      }
    }
  }

  // MARK: Features in cases

  private mutating func replicate(casesOf entry: TypeEntry) {
    for part in entry.declarations {
      for member in part.node.memberBlock.members {
        guard let declaration = member.decl.as(EnumCaseDeclSyntax.self) else {
          if member.decl.is(IfConfigDeclSyntax.self) {
            leave(
              """
              cases within '#if' are not followed: mark the features in them '@Replicated', and give both ends the same \
              cases
              """, at: member.decl, part.file)
          }
          continue
        }
        for parameter in declaration.elements.flatMap({ $0.parameterClause.map { Array($0.parameters) } ?? [] }) {
          visit(parameter.type, of: entry, scope: entry.path, at: Syntax(parameter), part.file)
          orderIsRight(parameter, entry, part)
        }
      }
    }
  }

  /// Swift 6.3 may crash at a marked enum of features that are declared below it in the same file.
  private mutating func orderIsRight(
    _ parameter: EnumCaseParameterSyntax, _ entry: TypeEntry, _ part: TypeEntry.Part
  ) {
    guard let names = parameter.type.names,
      case .type(let feature)? = catalog.find(names, from: entry.path, in: entry.target),
      let below = feature.declarations.first(where: {
        $0.file == part.file && $0.node.start > part.node.end
      })
    else { return }
    leave(
      """
      '\(feature.name)' is declared below '\(entry.name)' in the same file, at which Swift 6.3 may crash once the enum is \
      marked: move one of them into a file of its own
      """, at: below.node, part.file)
  }

  // MARK: Fields and cases

  private mutating func visit(_ member: DeclSyntax, of entry: TypeEntry, in file: Int) {
    if let conditional = member.as(IfConfigDeclSyntax.self) {
      if conditional.declarations.contains(where: { $0.is(EnumCaseDeclSyntax.self) }) {
        leave("cases within '#if' cannot be replicated: both ends must have the same cases", at: member, file)
      }
      return
    }
    guard let declaration = member.as(EnumCaseDeclSyntax.self) else { return }
    for parameter in declaration.elements.flatMap({ $0.parameterClause.map { Array($0.parameters) } ?? [] }) {
      visit(parameter.type, of: entry, scope: entry.path, at: Syntax(parameter), file)
    }
  }

  private mutating func visit(field member: DeclSyntax, of entry: TypeEntry, in file: Int) {
    if let conditional = member.as(IfConfigDeclSyntax.self) {
      for variable in conditional.declarations.compactMap({ $0.as(VariableDeclSyntax.self) })
      where variable.isStoredInstanceVariable && !variable.attributes.isOmitted {
        leave(
          "a field within '#if' cannot be replicated: both ends must have the same fields; mark it '@Replicated(omit)'",
          at: variable, file)
      }
      return
    }
    guard let variable = member.as(VariableDeclSyntax.self), !variable.attributes.isOmitted else { return }
    if variable.modifiers.has(.lazy) {
      leave("a lazy field has no value until somebody asks; mark it '@Replicated(omit)'", at: variable, file)
    }
    guard variable.isStoredInstanceVariable else { return }
    if let wrapper = ["Shared", "SharedReader"].first(where: { variable.attributes.hasAny(of: [$0]) }) {
      leave(Self.adviceOfShared(wrapper, variable), at: variable, file)
    } else if variable.attributes.hasAny(of: ["Dependency"]) {
      leave("a dependency is no part of the state; mark it '@Replicated(omit)'", at: variable, file)
    }
    note(field: variable, in: file)
    for binding in variable.bindings {
      if !variable.isVar, binding.initializer != nil {
        leave(
          """
          'let \(binding.pattern.trimmedDescription)' has its value already, so none can be read into it; make it a 'var', \
          or 'static'
          """, at: binding, file)
      }
      if let type = variable.type(of: binding) {
        visit(type, of: entry, scope: entry.path, at: Syntax(binding), file)
      } else if let value = binding.initializer?.value, let type = TypeUses.type(of: value) {
        visit(type, of: entry, scope: entry.path, at: Syntax(binding), file)
      }
    }
  }

  private static func adviceOfShared(_ wrapper: String, _ variable: VariableDeclSyntax) -> String {
    let name = variable.bindings.first?.pattern.trimmedDescription ?? ""
    return """
      '\(name)' is '@\(wrapper)', whose value is in this process or in a file, not in the hub's state: make it a plain \
      'var', or share the model alone and leave the features as they are (docs/PORTING.md)
      """
  }

  private mutating func visit(
    _ type: TypeSyntax, of entry: TypeEntry, scope: [String], at node: Syntax, _ file: Int
  ) {
    var uses = TypeUses(
      catalog: catalog, scope: scope, target: entry.target, parameters: genericParameters(around: entry))
    uses.add(type)
    for use in uses.uses {
      switch use {
      case .declared(.type(let used)):
        users[ObjectIdentifier(used), default: []].append(entry)
        visit(used, at: node, file)
      case .declared(.generated(let reducer, _)):
        users[ObjectIdentifier(reducer), default: []].append(entry)
        reach(reducer: reducer)
      case .declared(.associated): break
      case .refused(let reason):
        leave("its value cannot be replicated: \(reason)", at: node, file)
        notSendable.insert(ObjectIdentifier(entry))
      case .external(let name): visit(external: name, at: node, file)
      }
    }
  }

  private mutating func visit(_ used: TypeEntry, at node: Syntax, _ file: Int) {
    let kinds = used.declarations.map(\.node)
    if used.isReducer {
      reach(reducer: used)
    } else if used.alias != nil || used.isStruct || used.isEnum {
      replicate(used)
    } else if kinds.contains(where: { $0.is(ProtocolDeclSyntax.self) }) {
      leave("'\(used.name)' is a protocol, whose values have no bytes; use an enum of its types", at: node, file)
    } else {
      leave("'\(used.name)' is a class, and its objects exist in one process; use a struct", at: node, file)
      notSendable.insert(ObjectIdentifier(used))
    }
  }

  private mutating func visit(external name: String, at node: Syntax, _ file: Int) {
    let last = name.split(separator: ".").last.map(String.init) ?? name
    if KnownTypes.replicated.contains(name) || KnownTypes.replicated.contains(last) { return }
    if KnownTypes.ofFoundation.contains(last) {
      filesOfFoundation.insert(file)
      note(
        "positions that one client sees may be others in the hub; send the elements' ids if others edit them too", node,
        file)
    } else if let advice = KnownTypes.advice[last] {
      leave("'\(name)' is not replicated: \(advice)", at: node, file)
    } else {
      leave(
        """
        '\(name)' is a type of another module: if it is not replicated there, mark the field '@Replicated(omit)', wrap its \
        value in a type of your own, or, if it has a raw value, write 'extension \(name): @retroactive Replicated {}'
        """, at: node, file)
    }
  }

  private func genericParameters(around entry: TypeEntry) -> Set<String> {
    var (names, current): (Set<String>, TypeEntry?) = ([], entry)
    while let entry = current {
      for part in entry.declarations {
        let clause = part.node.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause
        names.formUnion(clause?.parameters.map(\.name.text) ?? [])
      }
      current = catalog.enclosing(entry)
    }
    return names
  }

  // MARK: Notes

  /// Names a field that becomes everybody's.
  private mutating func note(field variable: VariableDeclSyntax, in file: Int) {
    let name = variable.bindings.first?.pattern.trimmedDescription ?? ""
    let value = variable.bindings.first?.initializer?.value
    let type = variable.bindings.first?.typeAnnotation?.type ?? value.flatMap(TypeUses.type)
    if variable.attributes.hasAny(of: ["Presents", "PresentationState"]) {
      note(
        "'\(name)' is presented to everybody at once in a hub; keep it in the client if it is one user's", variable,
        file)
    } else if type?.names?.last == "StackState" {
      note(
        "'\(name)' is everybody's path in a hub; keep it in the client if each user goes their own way", variable, file)
    }
  }

  /// Names a client whose live value runs in the hub.
  private mutating func note(dependency variable: VariableDeclSyntax, in file: Int) {
    guard let arguments = variable.attributes.attribute(named: "Dependency")?.arguments?.trimmedDescription else {
      return
    }
    let name = arguments.split(separator: ".").first.map { $0 == "\\" ? arguments.dropFirst(2) : $0 } ?? ""
    let first = name.prefix { $0.isLetter || $0.isNumber }
    guard !Self.builtIn.contains(String(first)) else { return }
    note(
      """
      '\(arguments)' is used by the hub, with the live value in its process: give it one there, or keep its effects in a \
      client
      """, variable, file)
  }

  private static let builtIn: Set<String> = [
    "assert", "assertionFailure", "calendar", "context", "continuousClock", "date", "defaultFileStorage", "dismiss",
    "fireAndForget", "isPresented", "locale", "mainQueue", "mainRunLoop", "precondition", "suspendingClock", "timeZone",
    "uuid", "withRandomNumberGenerator",
  ]

  private mutating func leave(_ message: String, at node: some SyntaxProtocol, _ file: Int) {
    add(Finding(.left, catalog.files[file].source, at: node, message))
  }

  private mutating func note(_ message: String, _ node: some SyntaxProtocol, _ file: Int) {
    add(Finding(.note, catalog.files[file].source, at: node, message))
  }

  private mutating func add(_ finding: Finding) {
    if !findings.contains(finding) { findings.append(finding) }
  }
}
