/// Reads values and changes of a schema's types as `CBORValue`, for tools that were compiled without the feature.
///
/// ```swift
/// let values = SchemaValues(schema)
/// var state = try values.value(of: schema.state, from: &snapshot)
/// state = try values.applying(&changes, to: state, of: schema.state)
/// ```
///
/// The values have the form of PROTOCOL.md, 9, and the changes that of 10. A value has the same deterministic bytes as
/// the typed value in the hub.
public struct SchemaValues: Sendable {
  /// The schema whose types are read.
  public let schema: Schema
  /// What is refused beyond bytes that do not have the form of their type; nil for nothing.
  let rules: SchemaReadingRules?

  /// Creates a reader of a schema's types.
  public init(_ schema: Schema) { (self.schema, rules) = (schema, nil) }

  /// Creates a reader that also refuses what the feature's own decoders refuse, as far as the schema shows it: values
  /// that are nested too deep, and keys, members and ids that are not equal to themselves.
  package init(asReadByHubs schema: Schema) { (self.schema, rules) = (schema, SchemaReadingRules(schema)) }

  /// Reads one value of a type.
  ///
  /// Unknown fields are skipped. Values of types that the schema knows only by name are read as any well-formed item.
  /// - Throws: The problem with the bytes, or the place where they do not match the type.
  /// - Precondition: `type` is one of the schema's.
  /// - Complexity: O(bytes).
  public func value(of type: SchemaType, from decoder: inout CBORDecoder) throws(WireError) -> CBORValue {
    try decoder.enter(limit: CBORDecoder.nestingLimit)
    defer { decoder.leave() }
    let isCounted = rules?.countsForDepth(type) ?? false
    if isCounted { try decoder.enterValue() }
    defer { if isCounted { decoder.leaveValue() } }
    switch type {
    case .definition(let index):
      let definition = schema.definitions[index]
      switch definition.content {
      case .fields(let fields): return try structure(fields, definition.name, &decoder)
      case .cases(let cases): return try enumeration(cases, definition.name, &decoder)
      }
    case .named(let name, let parts):
      switch NamedLayout(name, parts.count) {
      case .optional:
        if try decoder.null() { return .null }
        try decoder.tuple(1)
        return .array([try value(of: parts[0], from: &decoder)])
      case .array: return .array(try elements(of: parts[0], &decoder))
      case .identified, .stack: return try identified(ElementType(type, in: schema), &decoder)
      case .set: return .array(try members(of: parts[0], &decoder).map(\.value))
      case .dictionary: return .map(try pairs(parts[0], parts[1], &decoder))
      case .result:
        let start = decoder.offset
        let (key, count) = try decoder.caseKey()
        guard key < 2, count == 1 else { throw WireError(.unknownCase(key, type: "Result"), at: start) }
        return .array([.unsigned(key), try value(of: parts[Int(key)], from: &decoder)])
      case .range:
        try decoder.tuple(2)
        return .array([try value(of: parts[0], from: &decoder), try value(of: parts[0], from: &decoder)])
      case .change: return try change(of: parts[0], from: &decoder)
      case .button, .alert, .dialog, nil: return try CBORValue(from: &decoder)
      }
    }
  }

  private func structure(
    _ fields: [Schema.Field], _ name: String, _ decoder: inout CBORDecoder
  ) throws(WireError) -> CBORValue {
    let start = decoder.offset
    var pairs: [CBORValue.Pair] = []
    pairs.reserveCapacity(fields.count)
    var cursor = try decoder.fields()
    var rest = fields[...]
    while let key = try decoder.nextKey(of: &cursor) {
      while let field = rest.first, field.key < key {
        guard field.hasDefault else { throw WireError(.missingField(key: field.key, type: name), at: start) }
        rest.removeFirst()
      }
      guard let field = rest.first, field.key == key else {
        try decoder.skip()
        continue
      }
      rest.removeFirst()
      pairs.append(CBORValue.Pair(key: .unsigned(key), value: try value(of: field.type, from: &decoder)))
    }
    if let field = rest.first(where: { !$0.hasDefault }) {
      throw WireError(.missingField(key: field.key, type: name), at: start)
    }
    return .map(pairs)
  }

  private func enumeration(
    _ cases: [Schema.Case], _ name: String, _ decoder: inout CBORDecoder
  ) throws(WireError) -> CBORValue {
    let start = decoder.offset
    let (key, count) = try decoder.caseKey()
    guard let element = cases.first(where: { $0.key == key }), element.payload.count == count else {
      throw WireError(.unknownCase(key, type: name), at: start)
    }
    guard count > 0 else { return .unsigned(key) }
    var items: [CBORValue] = [.unsigned(key)]
    for payload in element.payload { items.append(try value(of: payload.type, from: &decoder)) }
    return .array(items)
  }
}

// MARK: - Collections

extension SchemaValues {
  private func elements(of type: SchemaType, _ decoder: inout CBORDecoder) throws(WireError) -> [CBORValue] {
    let count = try decoder.arrayHeader()
    var items: [CBORValue] = []
    items.reserveCapacity(decoder.capacity(for: count, of: CBORValue.self))
    for _ in 0..<count { items.append(try value(of: type, from: &decoder)) }
    return items
  }

  private func identified(
    _ type: ElementType, _ decoder: inout CBORDecoder
  ) throws(WireError) -> CBORValue {
    var items = CBORElements()
    // Without a known id, elements cannot be found or compared.
    var nameless: [CBORValue] = []
    for _ in 0..<(try decoder.arrayHeader()) {
      let start = decoder.offset
      let element = try value(of: type, from: &decoder)
      if nameless.isEmpty, let id = type.id(of: element) {
        guard items.insert(element, id: id, at: items.count) else { throw WireError(.repeatedID, at: start) }
      } else {
        if nameless.isEmpty { nameless = Array(items) }
        nameless.append(element)
      }
    }
    return nameless.isEmpty ? .elements(items) : .array(nameless)
  }

  /// Reads one element, which in a stack follows its id.
  func value(of type: ElementType, from decoder: inout CBORDecoder) throws(WireError) -> CBORValue {
    guard type.isInStack else {
      let start = decoder.offset
      let element = try value(of: type.element, from: &decoder)
      if let id = type.id(of: element) { try rules?.checkKey(id.value, at: start) }
      return element
    }
    try decoder.tuple(2)
    return .array([try CBORValue(from: &decoder), try value(of: type.element, from: &decoder)])
  }

  /// Reads an array of members or keys in the order of their bytes.
  func members(
    of type: SchemaType, _ decoder: inout CBORDecoder
  ) throws(WireError) -> [(bytes: [UInt8], value: CBORValue)] {
    let count = try decoder.arrayHeader()
    var items: [(bytes: [UInt8], value: CBORValue)] = []
    items.reserveCapacity(decoder.capacity(for: count, of: (bytes: [UInt8], value: CBORValue).self))
    for _ in 0..<count { items.append(try member(of: type, after: items.last?.bytes, &decoder)) }
    return items
  }

  /// Reads a member or a key, which must follow the one with the bytes `previous`.
  func member(
    of type: SchemaType, after previous: [UInt8]?, _ decoder: inout CBORDecoder
  ) throws(WireError) -> (bytes: [UInt8], value: CBORValue) {
    let start = decoder.offset
    let value = try value(of: type, from: &decoder)
    try rules?.checkKey(value, at: start)
    let bytes = value.encoded()
    if let previous, !previous.lexicographicallyPrecedes(bytes) {
      throw WireError(previous == bytes ? .repeatedKey : .keysOutOfOrder, at: start)
    }
    return (bytes, value)
  }

  private func pairs(
    _ key: SchemaType, _ type: SchemaType, _ decoder: inout CBORDecoder
  ) throws(WireError) -> [CBORValue.Pair] {
    let count = try decoder.mapHeader()
    var pairs: [CBORValue.Pair] = []
    pairs.reserveCapacity(decoder.capacity(for: count, of: CBORValue.Pair.self))
    var previous: [UInt8]?
    for _ in 0..<count {
      let (bytes, key) = try member(of: key, after: previous, &decoder)
      pairs.append(CBORValue.Pair(key: key, value: try value(of: type, from: &decoder)))
      previous = bytes
    }
    return pairs
  }
}

// MARK: - Enums

extension SchemaValues {
  /// The case of an enum's value, and the payload's values; nil if there is no such case.
  package static func element(of value: CBORValue, _ cases: [Schema.Case]) -> (Schema.Case, [CBORValue])? {
    let (key, values): (CBORValue, [CBORValue]) =
      if case .array(let items) = value, let first = items.first {
        (first, Array(items.dropFirst()))
      } else {
        (value, [])
      }
    guard case .unsigned(let key) = key, let element = cases.first(where: { $0.key == key }),
      element.payload.count == values.count
    else { return nil }
    return (element, values)
  }
}

extension CBORValue {
  /// The simple value 22.
  package static var null: CBORValue { .simple(22) }
}
