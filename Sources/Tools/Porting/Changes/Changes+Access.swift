import MacroExpansions
import SwiftSyntax

extension Changes {
  /// Makes a type public, with the members that other modules use.
  mutating func publish(_ entry: TypeEntry) {
    if let alias = entry.alias {
      publish(alias.node.modifiers, before: alias.node.typealiasKeyword, "'\(entry.name)'", in: alias.file)
    }
    // The author of a public type has decided which of its members are.
    if entry.alias == nil, isPublic(entry) { return }
    for part in entry.declarations {
      guard let keyword = part.node.keyword else { continue }
      publish(part.node.modifiers, before: keyword, "'\(entry.name)'", in: part.file)
    }
    for part in entry.parts {
      let isHidden = part.node.is(ExtensionDeclSyntax.self) && part.node.modifiers.statesAccess
      if !isHidden { publishMembers(of: part, entry) }
    }
  }

  private mutating func publishMembers(of part: TypeEntry.Part, _ entry: TypeEntry) {
    let members = part.node.memberBlock.members.flatMap { member -> [DeclSyntax] in
      member.decl.as(IfConfigDeclSyntax.self)?.declarations ?? [member.decl]
    }
    for member in members {
      guard let declaration = Member(member), !declaration.modifiers.statesAccess else { continue }
      if entry.isReducer, !declaration.isNeeded { continue }
      guard declaration.isTypeKnown else {
        // A key may give a shared value its type, and such a field is left anyway.
        let isShared = member.as(VariableDeclSyntax.self)?.attributes.hasAny(of: ["Shared", "SharedReader"]) ?? false
        if declaration.isStored, !isShared { leaveInternal(member, "its type is not written", in: part.file) }
        continue
      }
      guard canBePublic(declaration.signature, in: entry.path, entry.target) else {
        if declaration.isStored { leaveInternal(member, "its type or its wrapper is not public", in: part.file) }
        continue
      }
      insert("public ", at: declaration.place, in: part.file, .access)
    }
  }

  private mutating func leaveInternal(_ member: DeclSyntax, _ reason: String, in file: Int) {
    leave(
      "this field stays internal, because \(reason); change that, or make it 'public' if clients need it", at: member,
      in: file)
  }

  private mutating func publish(
    _ modifiers: DeclModifierListSyntax, before keyword: TokenSyntax, _ name: String, in file: Int
  ) {
    guard !modifiers.has(.public), !modifiers.has(.open), !modifiers.has(.package) else { return }
    guard !modifiers.statesAccess else {
      let written = modifiers.trimmedDescription
      leave(
        "\(name) must be visible to the hub and its clients, and is '\(written)': make it 'public'", at: keyword,
        in: file)
      return
    }
    insert("public ", at: modifiers.first?.start ?? keyword.start, in: file, .access)
  }

  // MARK: Sendable

  /// Makes a type `Sendable`, which the compiler derives only for types that are not public.
  mutating func makeSendable(_ entry: TypeEntry) {
    guard entry.alias == nil, !entry.isKnownToBeSendable else { return }
    if entry.isCaseReducer { return makePartsSendable(entry) }
    guard entry.isStruct || entry.isEnum else { return }
    if let first = entry.declarations.first, !entry.parametersAreSendable {
      leave(
        "'\(entry.name)' is generic: if its parameters are, write 'Sendable' too", at: first.node, in: first.file)
      return
    }
    for part in entry.declarations {
      if let last = part.node.inheritanceClause?.inheritedTypes.last {
        insert(", Sendable", at: last.type.end, in: part.file, .sendable)
      } else if let name = part.node.asProtocol((any NamedDeclSyntax).self)?.name {
        let parameters = part.node.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause
        insert(": Sendable", at: parameters?.end ?? name.end, in: part.file, .sendable)
      }
    }
  }

  /// `@Reducer(state: .sendable, action: .sendable)`, for the types that the macro generates.
  private mutating func makePartsSendable(_ entry: TypeEntry) {
    let parts = ["State", "Action"].filter { name in
      catalog.member(name, of: entry) == nil
        && !TypeEntry.inherited(by: catalog.otherExtensions["\(entry.name).\(name)"] ?? []).contains("Sendable")
    }.map { $0.lowercased() }
    for declaration in entry.declarations {
      guard let attribute = declaration.node.attributes.attribute(named: "Reducer") else { continue }
      let file = declaration.file
      guard case .argumentList(let list)? = attribute.arguments else {
        let text = parts.map { "\($0): .sendable" }.joined(separator: ", ")
        if !parts.isEmpty { insert("(\(text))", at: attribute.attributeName.end, in: file, .sendable) }
        continue
      }
      var groups: [(label: String, arguments: [LabeledExprSyntax])] = []
      for argument in list {
        if let label = argument.label?.text { groups.append((label, [])) }
        if !groups.isEmpty { groups[groups.count - 1].arguments.append(argument) }
      }
      for part in parts {
        if let group = groups.first(where: { $0.label == part }) {
          guard !group.arguments.contains(where: { $0.expression.trimmedDescription == ".sendable" }) else { continue }
          if let last = group.arguments.last { insert(", .sendable", at: last.expression.end, in: file, .sendable) }
        } else if part == "state", let first = list.first {
          insert("state: .sendable, ", at: first.start, in: file, .sendable)
        } else if let last = list.last {
          insert(", \(part): .sendable", at: last.expression.end, in: file, .sendable)
        }
      }
    }
  }
}

extension TypeEntry {
  /// True if a conformance is written that makes it `Sendable`.
  fileprivate var isKnownToBeSendable: Bool {
    !inherited.isDisjoint(with: ["Sendable", "Error", "CodingKey", "LocalizedError"])
  }
}

extension TypeEntry {
  /// True if all its generic parameters are declared to be `Sendable`.
  fileprivate var parametersAreSendable: Bool {
    declarations.allSatisfy { part in
      let clause = part.node.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause
      return (clause.map { Array($0.parameters) } ?? []).allSatisfy {
        $0.inheritedType?.trimmedDescription.contains("Sendable") ?? false
      }
    }
  }
}

extension DeclGroupSyntax {
  /// `struct`, `enum` and so on; nil for an extension.
  fileprivate var keyword: TokenSyntax? { self.is(ExtensionDeclSyntax.self) ? nil : introducer }
}
