extension SchemaValues {
  /// Reads a value of a type, and writes the change that leads to it from every other value of the type, also from one
  /// that lacks fields.
  ///
  /// Only structs, outside of everything else, and dictionaries differ from their new values (PROTOCOL.md, 10).
  /// - Throws: The problem with the bytes.
  /// - Precondition: `type` is one of the schema's.
  /// - Complexity: O(bytes).
  public func writeReplacement(
    by decoder: inout CBORDecoder, of type: SchemaType, to encoder: inout CBOREncoder
  ) throws(WireError) {
    switch type {
    case .definition(let index):
      guard case .fields(let fields) = schema.definitions[index].content else { break }
      try decoder.enter(limit: CBORDecoder.nestingLimit)
      defer { decoder.leave() }
      let count = try decoder.mapHeader()
      encoder.mapHeader(count: count)
      for _ in 0..<count {
        let start = decoder.offset
        let key = try decoder.unsigned()
        guard let field = fields.first(where: { $0.key == key }) else {
          throw WireError(.doesNotFit(type: schema.definitions[index].name), at: start)
        }
        encoder.unsigned(key)
        try writeReplacement(by: &decoder, of: field.type, to: &encoder)
      }
      return
    case .named(let name, let parts):
      if NamedLayout(name, parts.count) == .dictionary { encoder.arrayHeader(count: 1) }
    }
    try decoder.copyItem(to: &encoder, limit: CBORDecoder.nestingLimit)
  }

  /// Reads a change that replaces the whole value of a struct.
  ///
  /// - Throws: The problem with the bytes, or `doesNotFit` for a change that does not contain every field.
  /// - Complexity: O(bytes).
  package func applyingReplacement(_ decoder: inout CBORDecoder, of type: SchemaType) throws(WireError) -> CBORValue {
    let start = decoder.offset
    let value = try applying(&decoder, to: .map([]), of: type)
    guard case .definition(let index) = type, case .fields(let fields) = schema.definitions[index].content,
      case .map(let pairs) = value, pairs.count == fields.count
    else { throw WireError(.doesNotFit(type: schema.name(of: type)), at: start) }
    return value
  }
}
