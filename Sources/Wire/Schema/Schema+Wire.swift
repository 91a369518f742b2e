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
      try Self.check(fields, at: start)
      content = .fields(fields)
    case 1:
      var cases: [Schema.Case] = []
      for _ in 2..<count { cases.append(try Schema.Case(from: &decoder)) }
      try Self.check(cases, at: start)
      content = .cases(cases)
    case let kind: throw WireError(.unknownCase(kind, type: "Schema.Content"), at: start)
    }
  }

  private static func check(_ members: [some SchemaMember], at start: Int) throws(WireError) {
    let keys = members.map(\.key)
    let names = members.flatMap { [$0.name] + $0.formerNames }
    guard zip(keys, keys.dropFirst()).allSatisfy(<=) else { throw WireError(.keysOutOfOrder, at: start) }
    guard zip(keys, keys.dropFirst()).allSatisfy(!=) else { throw WireError(.repeatedKey, at: start) }
    guard Set(names).count == names.count else { throw WireError(.repeatedID, at: start) }
  }
}

extension Schema.Field: WireValue {
  /// Writes `[key, name, type, has a default]`, and the former names in an array after that if there are any.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: formerNames.isEmpty ? 4 : 5)
    encoder.unsigned(key)
    encoder.text(name)
    type.encode(to: &encoder)
    encoder.bool(hasDefault)
    if !formerNames.isEmpty { formerNames.encode(to: &encoder) }
  }

  /// Reads a field.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let count = try decoder.arrayHeader()
    guard count == 4 || count == 5 else { throw WireError(.typeMismatch(expected: "a field"), at: start) }
    key = try decoder.unsigned()
    name = try decoder.text(limit: Schema.nameLimit)
    type = try SchemaType(from: &decoder)
    hasDefault = try decoder.bool()
    formerNames = count == 5 ? try decoder.formerNames() : []
  }
}

extension Schema.Case: WireValue {
  /// Writes `[key, name, label, type, label, type ...]`, and the former names in an array after that if there are any.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 2 + 2 * payload.count + (formerNames.isEmpty ? 0 : 1))
    encoder.unsigned(key)
    encoder.text(name)
    for value in payload {
      encoder.text(value.label)
      value.type.encode(to: &encoder)
    }
    if !formerNames.isEmpty { formerNames.encode(to: &encoder) }
  }

  /// Reads a case.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let count = try decoder.arrayHeader()
    guard count >= 2 else { throw WireError(.typeMismatch(expected: "a case"), at: start) }
    key = try decoder.unsigned()
    name = try decoder.text(limit: Schema.nameLimit)
    payload = []
    for _ in 1..<count / 2 {
      let label = try decoder.text(limit: Schema.nameLimit)
      payload.append(Schema.Payload(label: label, type: try SchemaType(from: &decoder)))
    }
    formerNames = count.isMultiple(of: 2) ? [] : try decoder.formerNames()
  }
}

extension CBORDecoder {
  /// Reads the former names of a field or a case, at least one.
  @_lifetime(self: copy self)
  fileprivate mutating func formerNames() throws(WireError) -> [String] {
    let start = offset
    let count = try arrayHeader()
    guard count > 0 else { throw WireError(.typeMismatch(expected: "a former name"), at: start) }
    guard count <= Schema.formerNameLimit else {
      throw WireError(.tooLong(length: UInt64(count), limit: Schema.formerNameLimit), at: start)
    }
    var names: [String] = []
    for _ in 0..<count { names.append(try text(limit: Schema.nameLimit)) }
    return names
  }
}
