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
    var missing: [String] = []
    var pairs = [(state, other.state)]
    var seen: Set<[Int]> = []
    while let (mine, theirs) = pairs.popLast() {
      switch (mine, theirs) {
      case (.named(_, let parts), .named(_, let otherParts)): pairs += zip(parts, otherParts)
      case (.definition(let index), .definition(let otherIndex)):
        guard seen.insert([index, otherIndex]).inserted, definitions.indices.contains(index),
          other.definitions.indices.contains(otherIndex)
        else { continue }
        pairs += definitions[index].commonParts(with: other.definitions[otherIndex], &missing)
      default: break
      }
    }
    return missing
  }
}

extension Schema.Definition {
  /// The types of the parts that both definitions have; collects the fields that only this one has.
  fileprivate func commonParts(
    with other: Schema.Definition, _ missing: inout [String]
  ) -> [(SchemaType, SchemaType)] {
    switch (content, other.content) {
    case (.fields(let fields), .fields(let others)):
      let pairs = zip(fields, CorrespondingMembers(fields, others).partners)
      missing += pairs.filter { $0.1 == nil }.map { "the field '\($0.0.name)' of \(name)" }
      return pairs.compactMap { field, partner in partner.map { (field.type, others[$0].type) } }
    case (.cases(let cases), .cases(let others)):
      return zip(cases, CorrespondingMembers(cases, others).partners).flatMap { item, partner in
        zip(item.payload, partner.map { others[$0].payload } ?? []).map { ($0.type, $1.type) }
      }
    default: return []
    }
  }
}
