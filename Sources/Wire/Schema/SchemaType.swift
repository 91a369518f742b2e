/// A type on the wire: a name with the types of its parts, or an index into the schema's definitions.
public enum SchemaType: Hashable, Sendable {
  /// A type that is known by its name: `Int`, or `Array` with the types of its parts.
  indirect case named(String, [SchemaType])
  /// The struct or enum at this index of the schema's definitions.
  case definition(Int)

  /// A type without parts.
  public static func named(_ name: String) -> SchemaType { .named(name, []) }
}

extension SchemaType: WireValue {
  /// Writes a definition's index, a name, or `[name, part ...]`.
  public func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .definition(let index): encoder.unsigned(UInt64(index))
    case .named(let name, let parts):
      if parts.isEmpty { return encoder.text(name) }
      encoder.arrayHeader(count: 1 + parts.count)
      encoder.text(name)
      for part in parts { part.encode(to: &encoder) }
    }
  }

  /// Reads a type.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    switch try decoder.nextType() {
    case .text: self = .named(try decoder.text(limit: Schema.nameLimit), [])
    case .array:
      try decoder.enter()
      defer { decoder.leave() }
      let count = try decoder.arrayHeader()
      guard count > 0 else { throw WireError(.typeMismatch(expected: "the name of a type"), at: start) }
      guard count > 1 else { throw WireError(.arrayOfOne, at: start) }
      let name = try decoder.text(limit: Schema.nameLimit)
      var parts: [SchemaType] = []
      for _ in 1..<count { parts.append(try SchemaType(from: &decoder)) }
      self = .named(name, parts)
    default:
      guard let index = Int(exactly: try decoder.unsigned()) else {
        throw WireError(.outOfRange(type: "index of a definition"), at: start)
      }
      self = .definition(index)
    }
  }
}
