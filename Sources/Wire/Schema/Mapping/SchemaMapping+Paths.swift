extension SchemaMapping {
  /// The path to the corresponding place in the target. Keys of fields and cases are mapped by name, ids as values.
  ///
  /// - Throws: The first step that the source or the target does not have.
  /// - Complexity: O(steps × fields).
  public func mapPath(_ path: [PathStep]) throws(SchemaPathError) -> [PathStep] {
    var walk = MappedPath(self)
    for step in path { try walk.take(step) }
    _ = try walk.end()
    return walk.steps
  }

  /// The mapping of the value at a path of the source.
  ///
  /// - Throws: The errors of `mapPath(_:)`.
  /// - Complexity: O(steps × fields): the table is shared.
  public func part(at path: [PathStep]) throws(SchemaPathError) -> SchemaMapping {
    var walk = MappedPath(self)
    for step in path { try walk.take(step) }
    return try walk.end()
  }
}

/// A path on both sides.
private struct MappedPath {
  let mapping: SchemaMapping
  var source: SchemaPlace
  var target: SchemaPlace
  var steps: [PathStep] = []

  init(_ mapping: SchemaMapping) {
    self.mapping = mapping
    source = SchemaPlace(in: mapping.source, mapping.pair.source, name: mapping.name)
    target = SchemaPlace(in: mapping.target, mapping.pair.target, name: mapping.name)
  }

  mutating func take(_ step: PathStep) throws(SchemaPathError) {
    let before = source
    try source.take(step)
    let mapped: PathStep
    switch step {
    case .id(let id): mapped = .id(try mapID(id, at: before))
    case .window: mapped = step
    case .key(let key):
      guard let definition = before.definition, definition.hasMember(key) else {
        mapped = step
        break
      }
      guard let other = target.definition.flatMap({ definition.key(of: key, in: $0) }) else {
        throw before.failure("\(source.name) is not known to the other side")
      }
      mapped = .key(other)
    }
    try target.take(mapped)
    steps.append(mapped)
  }

  func end() throws(SchemaPathError) -> SchemaMapping {
    if source.isWindow { return try window() }
    let pair = MappingTable.Pair(source: try source.end(), target: try target.end())
    guard let index = mapping.table.index(of: pair) else {
      throw source.failure("\(source.name) is not the same on both sides")
    }
    return SchemaMapping(mapping, pair, at: index, name: source.name)
  }

  /// The mapping of a window, whose type is none of the two schemas'.
  private func window() throws(SchemaPathError) -> SchemaMapping {
    do throws(SchemaMismatch) {
      let types = SchemaMapping.Root.types(source: source.type, target: target.type)
      return try SchemaMapping(from: source.schema, to: target.schema, types)
    } catch {
      throw source.failure("\(source.name) is not the same on both sides: \(error)")
    }
  }

  /// The id of an element of the collection at `place`.
  private func mapID(_ id: [UInt8], at place: SchemaPlace) throws(SchemaPathError) -> [UInt8] {
    var encoder = CBOREncoder()
    do throws(WireError) {
      var decoder = unsafe CBORDecoder(id.span.bytes)
      if case .named("IdentifiedArray", let parts) = place.type,
        case .named(_, let others) = target.type, parts.count == 2, others.count == 2,
        let index = mapping.table.index(of: MappingTable.Pair(source: parts[0], target: others[0]))
      {
        try mapping.map(index, .value, &decoder, &encoder)
      } else {
        try decoder.copyItem(to: &encoder, limit: SchemaMapping.depthLimit)
      }
      try decoder.finish()
    } catch {
      throw place.failure("the id of an element of \(place.name) is refused: \(error)")
    }
    return encoder.bytes
  }
}

extension Schema.Definition {
  /// Returns true if a field or case has this key.
  fileprivate func hasMember(_ key: UInt64) -> Bool {
    switch content {
    case .fields(let fields): fields.contains { $0.key == key }
    case .cases(let cases): cases.contains { $0.key == key }
    }
  }

  /// The key of the corresponding field or case in another definition.
  fileprivate func key(of key: UInt64, in other: Schema.Definition) -> UInt64? {
    switch (content, other.content) {
    case (.fields(let fields), .fields(let others)): Self.key(of: key, fields, others)
    case (.cases(let cases), .cases(let others)): Self.key(of: key, cases, others)
    default: nil
    }
  }

  private static func key<Member: SchemaMember>(of key: UInt64, _ mine: [Member], _ theirs: [Member]) -> UInt64? {
    guard let index = mine.firstIndex(where: { $0.key == key }) else { return nil }
    return CorrespondingMembers(mine, theirs).partners[index].map { theirs[$0].key }
  }
}
