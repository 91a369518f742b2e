extension Schema {
  /// The same schema with the definitions that its state and actions use, in the order of their first occurrence: that
  /// of two equal types is equal, whatever other types they were described with.
  ///
  /// - Complexity: O(types × fields).
  package func compacted() -> Schema {
    var compaction = Compaction(from: definitions)
    var result = self
    result.state = compaction.type(state)
    result.action = compaction.type(action)
    result.definitions = compaction.definitions
    return result
  }
}

private struct Compaction {
  let original: [Schema.Definition]
  var definitions: [Schema.Definition] = []
  /// The new indices of the definitions that were met.
  var indices: [Int: Int] = [:]

  init(from original: [Schema.Definition]) { self.original = original }

  mutating func type(_ type: SchemaType) -> SchemaType {
    switch type {
    case .named(let name, let parts):
      return .named(name, parts.map { self.type($0) })
    case .definition(let index):
      if let known = indices[index] { return .definition(known) }
      // Reserved before its parts are met, as when it is described: types may be recursive.
      let new = definitions.count
      indices[index] = new
      definitions.append(original[index])
      definitions[new].content = content(original[index].content)
      return .definition(new)
    }
  }

  private mutating func content(_ content: Schema.Content) -> Schema.Content {
    switch content {
    case .fields(let fields):
      return .fields(
        fields.map { Schema.Field(key: $0.key, name: $0.name, type: type($0.type), hasDefault: $0.hasDefault) })
    case .cases(let cases):
      return .cases(
        cases.map { element in
          Schema.Case(
            key: element.key, name: element.name,
            payload: element.payload.map { Schema.Payload(label: $0.label, type: type($0.type)) })
        })
    }
  }
}
