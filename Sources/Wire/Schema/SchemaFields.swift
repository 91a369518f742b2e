extension Schema {
  /// The sentence for two states without a common field, which belong to different features; nil if they have one, or if
  /// one of them has no fields at all.
  func difference(ofFeaturesFrom other: Schema) -> String? {
    guard let mine = stateFields, let theirs = other.stateFields, !mine.isEmpty, !theirs.isEmpty,
      Set(mine).isDisjoint(with: theirs)
    else { return nil }
    return "the state has the fields \(Self.list(mine)) here and \(Self.list(theirs)) there, with no name in common"
  }

  /// The names of the state's fields; nil if it is not a struct.
  private var stateFields: [String]? {
    guard case .definition(let index) = state, definitions.indices.contains(index),
      case .fields(let fields) = definitions[index].content
    else { return nil }
    return fields.map(\.name)
  }

  /// The first few names, in quotes.
  private static func list(_ names: [String]) -> String {
    names.prefix(5).map { "'\($0)'" }.joined(separator: ", ") + (names.count > 5 ? ", …" : "")
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
      let named = Dictionary(others.map { ($0.name, $0.type) }) { first, _ in first }
      missing += fields.filter { named[$0.name] == nil }.map { "the field '\($0.name)' of \(name)" }
      return fields.compactMap { field in named[field.name].map { (field.type, $0) } }
    case (.cases(let cases), .cases(let others)):
      let named = Dictionary(others.map { ($0.name, $0.payload) }) { first, _ in first }
      return cases.flatMap { item in zip(item.payload, named[item.name] ?? []).map { ($0.type, $1.type) } }
    default: return []
    }
  }
}
