import SwiftSyntax

/// A case of an enum, as used by macros.
struct EnumCase {
  /// The name as in the source, including backticks.
  let name: String
  let parameters: [EnumCaseParameterSyntax]
  /// Its declaration, which may declare others as well.
  let declaration: EnumCaseDeclSyntax
  let element: EnumCaseElementSyntax
  /// Its position among the cases of the source, whether they are compiled or not.
  let position: Int

  var attributes: AttributeListSyntax { declaration.attributes }

  /// The payload as one type: `Void`, the only value's type, or a tuple.
  var payloadType: String {
    switch parameters.count {
    case 0: return "Void"
    case 1: return parameters[0].type.trimmedDescription
    default:
      let parts = parameters.map { parameter in
        label(of: parameter).map { "\($0): \(parameter.type.trimmedDescription)" } ?? parameter.type.trimmedDescription
      }
      return "(\(parts.joined(separator: ", ")))"
    }
  }

  /// Its declaration without the keyword `case`.
  var text: String { element.with(\.trailingComma, nil).trimmedDescription }

  /// Names for the payload's values in patterns: `v0, v1`.
  var variables: [String] { parameters.indices.map { "v\($0)" } }

  func label(of parameter: EnumCaseParameterSyntax) -> String? {
    guard let name = parameter.firstName?.trimmedDescription, name != "_" else { return nil }
    return name
  }
}

extension EnumCase {
  /// The label before a value when the case is created: `name: `, or nothing.
  func argument(for parameter: EnumCaseParameterSyntax) -> String {
    guard let label = label(of: parameter) else { return "" }
    // Most keywords need no backticks there, and the compiler warns about them.
    let word = plain(label)
    let needsBackticks =
      ["inout", "let", "var"].contains(word) || word.contains { !$0.isLetter && !$0.isNumber && $0 != "_" }
    return needsBackticks ? "\(label): " : "\(word): "
  }
}

/// The cases of an enum with the `#if`s around them.
struct EnumCases {
  private enum Item {
    case one(EnumCase)
    /// The clauses of an `#if`, each with its first line.
    case conditional([(directive: String, cases: EnumCases)])
  }

  private var items: [Item] = []

  /// The cases of a declaration, in the order of the source.
  init(of declaration: EnumDeclSyntax) {
    var count = 0
    self.init(declaration.memberBlock.members, count: &count)
  }

  private init(_ members: MemberBlockItemListSyntax, count: inout Int) {
    for member in members {
      if let declaration = member.decl.as(EnumCaseDeclSyntax.self) {
        for element in declaration.elements {
          items.append(
            .one(
              EnumCase(
                name: element.name.trimmedDescription, parameters: Array(element.parameterClause?.parameters ?? []),
                declaration: declaration, element: element, position: count)))
          count += 1
        }
      } else if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
        var clauses: [(String, EnumCases)] = []
        for clause in conditional.clauses {
          let condition = clause.condition.map { " \($0.trimmedDescription)" } ?? ""
          guard case .decls(let members)? = clause.elements else {
            clauses.append((clause.poundKeyword.text + condition, EnumCases([], count: &count)))
            continue
          }
          clauses.append((clause.poundKeyword.text + condition, EnumCases(members, count: &count)))
        }
        if clauses.contains(where: { !$0.1.all.isEmpty }) { items.append(.conditional(clauses)) }
      }
    }
  }

  /// All cases, whether they are compiled or not.
  var all: [EnumCase] {
    items.flatMap { item in
      switch item {
      case .one(let enumCase): [enumCase]
      case .conditional(let clauses): clauses.flatMap(\.cases.all)
      }
    }
  }

  /// Lines for the cases, within the same `#if`s as the cases.
  func lines(_ line: (EnumCase) -> String?) -> String {
    let lines = items.compactMap { item in
      switch item {
      case .one(let enumCase): return line(enumCase)
      case .conditional(let clauses):
        let texts = clauses.map { ($0.directive, $0.cases.lines(line)) }
        guard texts.contains(where: { !$0.1.isEmpty }) else { return nil }
        return texts.map { $1.isEmpty ? $0 : "\($0)\n\($1)" }.joined(separator: "\n") + "\n#endif"
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The first case with the name of another one that is compiled together with it.
  var overloaded: EnumCase? {
    var names = Set<String>()
    return overloaded(&names)
  }

  private func overloaded(_ names: inout Set<String>) -> EnumCase? {
    for item in items {
      switch item {
      case .one(let enumCase):
        if !names.insert(plain(enumCase.name)).inserted { return enumCase }
      case .conditional(let clauses):
        let before = names
        for clause in clauses {
          var own = before
          if let found = clause.cases.overloaded(&own) { return found }
          names.formUnion(own)
        }
      }
    }
    return nil
  }

  /// True if there are no cases.
  var isEmpty: Bool { all.isEmpty }

  /// True if some of them are inside an `#if`.
  var isConditional: Bool {
    items.contains { if case .conditional = $0 { true } else { false } }
  }
}
