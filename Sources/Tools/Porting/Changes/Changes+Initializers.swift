import MacroExpansions
import SwiftSyntax

extension Changes {
  /// Adds the initializer that Swift generates for a struct, which is not public.
  mutating func addInitializer(to entry: TypeEntry) {
    for part in entry.declarations where part.node.is(StructDeclSyntax.self) {
      let members = part.node.memberBlock.members.map(\.decl)
      let all = members.flatMap { $0.as(IfConfigDeclSyntax.self)?.declarations ?? [$0] }
      guard !all.contains(where: { $0.is(InitializerDeclSyntax.self) }) else { continue }
      let conditional = members.first {
        $0.as(IfConfigDeclSyntax.self)?.declarations.contains(where: \.isStoredVariable) ?? false
      }
      if let conditional {
        leave("'\(entry.name)' has fields within '#if': write its 'public init'", at: conditional, in: part.file)
        continue
      }
      switch parameters(of: entry, part) {
      case .success(let parameters): insertInitializer(parameters, part)
      case .failure(let reason): leave(reason.message, at: reason.node, in: part.file)
      }
    }
  }

  private struct Parameter {
    var name: String
    var type: String
    var value: String?
    /// The name of the storage that it sets.
    var storage: String
  }

  private struct Refusal: Error {
    var message: String
    var node: Syntax
  }

  private func parameters(of entry: TypeEntry, _ part: TypeEntry.Part) -> Result<[Parameter], Refusal> {
    var parameters: [Parameter] = []
    for variable in part.node.storedVariables {
      for binding in variable.bindings {
        switch parameter(binding, of: variable, in: entry) {
        case .success(let parameter?): parameters.append(parameter)
        case .success(nil): break
        case .failure(let refusal): return .failure(refusal)
        }
      }
    }
    return .success(parameters)
  }

  /// The parameter for a field; nil for one that the initializer cannot set or need not set.
  private func parameter(
    _ binding: PatternBindingSyntax, of variable: VariableDeclSyntax, in entry: TypeEntry
  ) -> Result<Parameter?, Refusal> {
    let value = binding.initializer?.value
    if variable.attributes.hasAny(of: ["Dependency"]) || (!variable.isVar && value != nil) { return .success(nil) }
    func refuse(_ reason: String) -> Result<Parameter?, Refusal> {
      .failure(Refusal(message: "'\(entry.name)' needs a 'public init' by hand: \(reason)", node: Syntax(binding)))
    }
    guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
      return value == nil ? refuse("a field has several names") : .success(nil)
    }
    let type = variable.type(of: binding)
    let shared = ["Shared", "SharedReader"].first { variable.attributes.hasAny(of: [$0]) }
    if let shared {
      let hasKey = variable.attributes.attribute(named: shared)?.arguments != nil
      if hasKey || value != nil { return .success(nil) }
    }
    let isOptional = variable.isVar && (type?.isOptional ?? false)
    let hasDefault = value != nil || isOptional
    if !variable.attributes.isPlain {
      return hasDefault ? .success(nil) : refuse("'\(name)' has a property wrapper that the tool does not know")
    }
    if variable.modifiers.has(.private) || variable.modifiers.has(.fileprivate) {
      return hasDefault ? .success(nil) : refuse("'\(name)' is private")
    }
    guard let written = type ?? value.flatMap(TypeUses.type) else {
      return hasDefault ? .success(nil) : refuse("the type of '\(name)' is not written")
    }
    guard canBePublic([Syntax(written)], in: entry.path, entry.target) else {
      return hasDefault ? .success(nil) : refuse("the type of '\(name)' is not public")
    }
    if let shared {
      return .success(
        Parameter(name: name, type: "\(shared)<\(written.trimmedDescription)>", value: nil, storage: "_\(name)"))
    }
    let isFunction = (written.as(AttributedTypeSyntax.self)?.baseType ?? written).is(FunctionTypeSyntax.self)
    return .success(
      Parameter(
        name: name, type: "\(isFunction ? "@escaping " : "")\(written.trimmedDescription)",
        value: value?.trimmedDescription ?? (isOptional ? "nil" : nil), storage: name))
  }

  private mutating func insertInitializer(_ parameters: [Parameter], _ part: TypeEntry.Part) {
    let source = source(part.file)
    let block = part.node.memberBlock
    let outer = source.indentationOfLine(at: part.node.start)
    let first = block.members.first.flatMap { source.indentation(at: $0.start) }
    let inner = first ?? outer + (outer.contains("\t") ? "\t" : "  ")
    let step = inner.hasPrefix(outer) && inner != outer ? String(inner.dropFirst(outer.count)) : "  "
    let text = Self.text(of: parameters, inner, step)
    let members = Array(block.members)
    // After the stored properties, else before the body.
    let lastStored = members.lastIndex { $0.decl.isStoredVariable }
    let firstCode = members.firstIndex {
      $0.decl.is(FunctionDeclSyntax.self) || ($0.decl.is(VariableDeclSyntax.self) && !$0.decl.isStoredVariable)
    }
    let previous = lastStored ?? firstCode.map { $0 - 1 } ?? members.count - 1
    if previous >= 0 {
      let isLast = previous == members.count - 1
      let place = members[previous].end
      if let end = source.endOfLine(after: place) {
        insert("\n\n\(text)\(source.isFollowedByText(end) ? "\n" : "")", at: end, in: part.file, .initializer)
      } else {
        let text = "\n\n\(text)\n\(isLast ? outer : inner)"
        insert(text, at: place, replacing: source.spaces(after: place), in: part.file, .initializer)
      }
    } else if members.isEmpty {
      let place = block.leftBrace.end
      insert("\n\(text)\n\(outer)", at: place, replacing: source.spaces(after: place), in: part.file, .initializer)
    } else {
      insert("\n\(text)\n", at: block.leftBrace.end, in: part.file, .initializer)
    }
  }

  private static func text(of parameters: [Parameter], _ indentation: String, _ step: String) -> String {
    if parameters.isEmpty { return "\(indentation)public init() {}" }
    let list = parameters.map { "\($0.name): \($0.type)\($0.value.map { " = \($0)" } ?? "")" }
    var head = "\(indentation)public init(\(list.joined(separator: ", "))) {"
    if head.count > 100 {
      let lines = list.map { "\n\(indentation)\(step)\($0)" }.joined(separator: ",")
      head = "\(indentation)public init(\(lines)\n\(indentation)) {"
    }
    let body = parameters.map { "\n\(indentation)\(step)self.\($0.storage) = \($0.name)" }
    return "\(head)\(body.joined())\n\(indentation)}"
  }
}

extension DeclSyntax {
  /// True for a property that is stored in each instance.
  fileprivate var isStoredVariable: Bool { self.as(VariableDeclSyntax.self)?.isStoredInstanceVariable ?? false }
}

extension AttributeListSyntax {
  /// True if no attribute may be a property wrapper with storage of its own.
  fileprivate var isPlain: Bool {
    let known = [
      "BindingState", "ObservationStateIgnored", "ObservationStateTracked", "PresentationState", "Presents",
      "Replicated",
      "ReplicatedKey", "Shared", "SharedReader",
    ]
    return allSatisfy { element in
      let written = element.as(AttributeSyntax.self)?.attributeName.trimmedDescription
      guard let name = written?.split(separator: ".").last else { return false }
      // The names of the compiler's own attributes are in lower case.
      return name.first?.isLowercase ?? true || known.contains(String(name))
    }
  }
}
