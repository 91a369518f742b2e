extension Schema: WireValue {
  /// Writes `[state, action, definition ...]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 2 + definitions.count)
    state.encode(to: &encoder)
    action.encode(to: &encoder)
    for definition in definitions { definition.encode(to: &encoder) }
  }

  /// Reads a schema, and refuses one that refers to a missing definition.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let count = try decoder.arrayHeader()
    guard count >= 2 else { throw WireError(.typeMismatch(expected: "a state and an action"), at: start) }
    guard count - 2 <= Self.definitionLimit else {
      throw WireError(.tooLong(length: UInt64(count), limit: Self.definitionLimit + 2), at: start)
    }
    state = try SchemaType(from: &decoder)
    action = try SchemaType(from: &decoder)
    definitions = []
    for _ in 2..<count { definitions.append(try Definition(from: &decoder)) }
    guard types.allSatisfy({ $0.refers(below: definitions.count) }) else {
      throw WireError(.outOfRange(type: "index of a definition"), at: start)
    }
  }

  /// All types that it mentions.
  private var types: [SchemaType] {
    [state, action]
      + definitions.flatMap { definition in
        switch definition.content {
        case .fields(let fields): fields.map(\.type)
        case .cases(let cases): cases.flatMap { $0.payload.map(\.type) }
        }
      }
  }
}

extension SchemaType {
  /// Returns true if all definitions that it mentions are among the first `count`.
  func refers(below count: Int) -> Bool {
    switch self {
    case .definition(let index): index < count
    case .named(_, let parts): parts.allSatisfy { $0.refers(below: count) }
    }
  }
}

extension Schema.Definition: WireValue {
  /// Writes `[name, 0, id, field ...]` for a struct and `[name, 1, case ...]` for an enum.
  public func encode(to encoder: inout CBOREncoder) {
    switch content {
    case .fields(let fields):
      encoder.arrayHeader(count: 3 + fields.count)
      encoder.text(name)
      encoder.unsigned(0)
      id.encode(to: &encoder)
      for field in fields { field.encode(to: &encoder) }
    case .cases(let cases):
      encoder.arrayHeader(count: 2 + cases.count)
      encoder.text(name)
      encoder.unsigned(1)
      for element in cases { element.encode(to: &encoder) }
    }
  }

  /// Reads a definition with ascending keys.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let count = try decoder.arrayHeader()
    guard count >= 2 else { throw WireError(.typeMismatch(expected: "a name and a kind"), at: start) }
    name = try decoder.text(limit: Schema.nameLimit)
    id = []
    switch try decoder.unsigned() {
    case 0:
      var fields: [Schema.Field] = []
      guard count >= 3 else { throw WireError(.typeMismatch(expected: "a name, a kind and an id"), at: start) }
      let idStart = decoder.offset
      id = try [UInt64](from: &decoder)
      guard id.count <= Attach.pathLimit else {
        throw WireError(.tooLong(length: UInt64(id.count), limit: Attach.pathLimit), at: idStart)
      }
      for _ in 3..<count { fields.append(try Schema.Field(from: &decoder)) }
      try Self.check(fields.map(\.key), fields.map(\.name), at: start)
      content = .fields(fields)
    case 1:
      var cases: [Schema.Case] = []
      for _ in 2..<count { cases.append(try Schema.Case(from: &decoder)) }
      try Self.check(cases.map(\.key), cases.map(\.name), at: start)
      content = .cases(cases)
    case let kind: throw WireError(.unknownCase(kind, type: "Schema.Content"), at: start)
    }
  }

  private static func check(_ keys: [UInt64], _ names: [String], at start: Int) throws(WireError) {
    guard zip(keys, keys.dropFirst()).allSatisfy(<=) else { throw WireError(.keysOutOfOrder, at: start) }
    guard zip(keys, keys.dropFirst()).allSatisfy(!=) else { throw WireError(.repeatedKey, at: start) }
    guard Set(names).count == names.count else { throw WireError(.repeatedID, at: start) }
  }
}

extension Schema.Field: WireValue {
  /// Writes `[key, name, type, has a default]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 4)
    encoder.unsigned(key)
    encoder.text(name)
    type.encode(to: &encoder)
    encoder.bool(hasDefault)
  }

  /// Reads a field.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(4)
    key = try decoder.unsigned()
    name = try decoder.text(limit: Schema.nameLimit)
    type = try SchemaType(from: &decoder)
    hasDefault = try decoder.bool()
  }
}

extension Schema.Case: WireValue {
  /// Writes `[key, name, label, type, label, type ...]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 2 + 2 * payload.count)
    encoder.unsigned(key)
    encoder.text(name)
    for value in payload {
      encoder.text(value.label)
      value.type.encode(to: &encoder)
    }
  }

  /// Reads a case.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let count = try decoder.arrayHeader()
    guard count >= 2, count.isMultiple(of: 2) else {
      throw WireError(.typeMismatch(expected: "a case"), at: start)
    }
    key = try decoder.unsigned()
    name = try decoder.text(limit: Schema.nameLimit)
    payload = []
    for _ in 1..<count / 2 {
      let label = try decoder.text(limit: Schema.nameLimit)
      payload.append(Schema.Payload(label: label, type: try SchemaType(from: &decoder)))
    }
  }
}
