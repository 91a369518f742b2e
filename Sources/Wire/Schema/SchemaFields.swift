extension Schema {
  /// The sentence for two states without a common field, which belong to different features; nil if they have one, or if
  /// one of them has no fields at all.
  func difference(ofFeaturesFrom other: Schema) -> String? {
    guard let mine = stateFields, let theirs = other.stateFields, !mine.isEmpty, !theirs.isEmpty,
      CorrespondingMembers(mine, theirs).partners.allSatisfy({ $0 == nil })
    else { return nil }
    return "the state has the fields \(Self.list(mine)) here and \(Self.list(theirs)) there, with no name in common"
  }

  /// The state's fields; nil if it is not a struct.
  private var stateFields: [Field]? {
    guard case .definition(let index) = state, definitions.indices.contains(index),
      case .fields(let fields) = definitions[index].content
    else { return nil }
    return fields
  }

  /// The first few names, in quotes.
  private static func list(_ fields: [Field]) -> String {
    fields.prefix(5).map { "'\($0.name)'" }.joined(separator: ", ") + (fields.count > 5 ? ", …" : "")
  }

  /// The fields in the state that another schema does not have, such as "the field 'count' of Counter.State". A conversion
  /// to it drops their values.
  ///
  /// - Complexity: O(corresponding pairs of types × fields).
  package func stateFields(missingIn other: Schema) -> [String] {
    compare(state, with: other.state, of: other).fields
  }

  /// The fields of the state that have another type in another schema, such as "the field 'count' of Counter.State: Int,
  /// String".
  ///
  /// - Complexity: O(corresponding pairs of types × fields).
  package func stateFields(changedIn other: Schema) -> [String] { compare(state, with: other.state, of: other).changed }

  /// The fields of the state that have another name in another schema, such as "the field 'count' of Counter.State is
  /// 'total'".
  ///
  /// - Complexity: O(corresponding pairs of types × fields).
  package func stateFields(renamedIn other: Schema) -> [String] { compare(state, with: other.state, of: other).renamed }

  /// The names of the fields of the state itself, each with that of the corresponding field of another schema.
  ///
  /// - Complexity: O(fields).
  package func stateFieldNames(in other: Schema) -> [String: String] {
    guard let mine = stateFields, let theirs = other.stateFields else { return [:] }
    let pairs = zip(mine, CorrespondingMembers(mine, theirs).partners)
    return Dictionary(
      pairs.compactMap { field, partner in partner.map { (field.name, theirs[$0].name) } },
      uniquingKeysWith: { a, _ in a })
  }

  /// The cases of the actions that another schema does not have, such as "the case 'closed' of Shelf.Action". Such an
  /// action cannot be converted to it.
  ///
  /// - Complexity: O(corresponding pairs of types × fields).
  package func actionCases(missingIn other: Schema) -> [String] { compare(action, with: other.action, of: other).cases }

  /// The fields and cases of two corresponding types that only this schema has, and the fields with other types or names.
  private func compare(
    _ type: SchemaType, with otherType: SchemaType, of other: Schema
  ) -> (fields: [String], cases: [String], changed: [String], renamed: [String]) {
    var missing: [String] = []
    var cases: [String] = []
    var changed: [String] = []
    var renamed: [String] = []
    var pairs = [(type, otherType)]
    var seen: Set<[Int]> = []
    while let (mine, theirs) = pairs.popLast() {
      switch (mine, theirs) {
      case (.named(_, let parts), .named(_, let otherParts)): pairs += zip(parts, otherParts)
      case (.definition(let index), .definition(let otherIndex)):
        guard seen.insert([index, otherIndex]).inserted, definitions.indices.contains(index),
          other.definitions.indices.contains(otherIndex)
        else { continue }
        let fields = definitions[index].commonFields(with: other.definitions[otherIndex])
        cases += definitions[index].cases(missingIn: other.definitions[otherIndex])
        changed += fields.filter { !hasSameShape($0.type, as: $1.type, of: other) }.map { mine, theirs in
          "\(definitions[index].place(of: mine)): \(name(of: mine.type)), \(other.name(of: theirs.type))"
        }
        renamed += fields.filter { $0.name != $1.name }.map { mine, theirs in
          "\(definitions[index].place(of: mine)) is '\(theirs.name)'"
        }
        pairs += definitions[index].commonParts(with: other.definitions[otherIndex], &missing)
      default: break
      }
    }
    return (missing, cases, changed, renamed)
  }

  /// True if two types are the same, or structs or enums whose own fields are compared separately.
  private func hasSameShape(_ mine: SchemaType, as theirs: SchemaType, of other: Schema) -> Bool {
    switch (mine, theirs) {
    case (.definition, .definition): true
    case (.named(let name, let parts), .named(let otherName, let otherParts)):
      name == otherName && parts.count == otherParts.count
        && zip(parts, otherParts).allSatisfy { hasSameShape($0, as: $1, of: other) }
    default: false
    }
  }
}

extension Schema.Definition {
  /// The cases that only this enum has.
  fileprivate func cases(missingIn other: Schema.Definition) -> [String] {
    guard case .cases(let mine) = content, case .cases(let others) = other.content else { return [] }
    return zip(mine, CorrespondingMembers(mine, others).partners).filter { $0.1 == nil }
      .map { "the case '\($0.0.name)' of \(name)" }
  }

  fileprivate func place(of field: Schema.Field) -> String { "the field '\(field.name)' of \(name)" }

  /// The fields that both structs have.
  fileprivate func commonFields(with other: Schema.Definition) -> [(Schema.Field, Schema.Field)] {
    guard case .fields(let fields) = content, case .fields(let others) = other.content else { return [] }
    return zip(fields, CorrespondingMembers(fields, others).partners).compactMap { field, partner in
      partner.map { (field, others[$0]) }
    }
  }

  /// The types of the parts that both definitions have; collects the fields that only this one has.
  fileprivate func commonParts(
    with other: Schema.Definition, _ missing: inout [String]
  ) -> [(SchemaType, SchemaType)] {
    switch (content, other.content) {
    case (.fields(let fields), .fields(let others)):
      let pairs = zip(fields, CorrespondingMembers(fields, others).partners)
      missing += pairs.filter { $0.1 == nil }.map { place(of: $0.0) }
      return pairs.compactMap { field, partner in partner.map { (field.type, others[$0].type) } }
    case (.cases(let cases), .cases(let others)):
      return zip(cases, CorrespondingMembers(cases, others).partners).flatMap { item, partner in
        zip(item.payload, partner.map { others[$0].payload } ?? []).map { ($0.type, $1.type) }
      }
    default: return []
    }
  }
}
