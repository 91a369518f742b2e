public import JSONText
internal import Spelling
public import Wire

extension SchemaJSON {
  /// Reads JSON as a value of a type.
  ///
  /// Numbers may also be strings of digits, and dictionaries with string keys arrays of pairs. Fields with a default
  /// and optional fields may be absent.
  /// - Throws: The first place whose form does not match its type.
  /// - Precondition: `type` is one of the schema's.
  /// - Complexity: O(size of the JSON), plus O(n log n) for sets and dictionaries.
  public func value(of json: JSONValue, as type: SchemaType) throws(SchemaValueError) -> CBORValue {
    switch type {
    case .definition(let index):
      let definition = schema.definitions[index]
      switch definition.content {
      case .fields(let fields): return try structure(json, fields, definition.name)
      case .cases(let cases): return try enumeration(json, cases, definition.name)
      }
    case .named(let name, let parts):
      guard let layout = NamedLayout(name, parts.count) else {
        if name == "raw", parts.count == 2 { return try value(of: json, as: parts[1]) }
        return try leaf(json, name, type)
      }
      return try value(of: json, layout, parts, type)
    }
  }

  private func mismatch(_ type: SchemaType, _ json: JSONValue) -> SchemaValueError {
    SchemaValueError("", "expected a value of type \(schema.name(of: type)), not \(json.kind)")
  }

  private func value(
    of json: JSONValue, _ layout: NamedLayout, _ parts: [SchemaType], _ type: SchemaType
  ) throws(SchemaValueError) -> CBORValue {
    switch layout {
    case .optional:
      if json == .null { return .null }
      // The form of a nested optional; no other value of a nullable type is such an object.
      if case .named(let name, let inner) = parts[0], NamedLayout(name, inner.count) == .optional,
        case .object(let members) = json, members.count == 1, members[0].name == "some"
      {
        return .array([try value(of: members[0].value, as: parts[0])])
      }
      return .array([try value(of: json, as: parts[0])])
    case .array: return .array(try items(json, type).enumerated().map(element(parts[0])))
    case .set:
      let members = try items(json, type).enumerated().map(element(parts[0]))
      let sorted = members.map { (bytes: $0.encoded(), value: $0) }
        .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
      for (one, next) in zip(sorted, sorted.dropFirst()) where one.bytes == next.bytes {
        throw SchemaValueError("", "a member of the set stands there twice")
      }
      return .array(sorted.map(\.value))
    case .identified:
      let elements = try items(json, type).enumerated().map(element(parts[1]))
      return try identified(elements, type)
    case .stack:
      let pairs = try items(json, type).enumerated().map { (item) throws(SchemaValueError) in
        try pair(item.element, item.offset, .named("StackElementID"), parts[0])
      }
      return try identified(pairs.map { .array([$0.key, $0.value]) }, type)
    case .dictionary: return try dictionary(json, parts[0], parts[1], type)
    case .result:
      guard case .object(let members) = json, members.count == 1,
        let key = ["success", "failure"].firstIndex(of: members[0].name)
      else { throw SchemaValueError("", #"expected {"success": …} or {"failure": …}, not \#(json.kind)"#) }
      return .array([.unsigned(UInt64(key)), try inside(members[0].name, members[0].value, parts[key])])
    case .range:
      let bounds = try items(json, type).enumerated().map(element(parts[0]))
      guard bounds.count == 2 else { throw SchemaValueError("", "a range has two bounds: [lower, upper]") }
      return .array(bounds)
    case .button, .alert, .dialog: return try prompt(json, layout, parts[0])
    case .change: return try change(json, parts[0])
    }
  }

  private func items(_ json: JSONValue, _ type: SchemaType) throws(SchemaValueError) -> [JSONValue] {
    guard case .array(let items) = json else { throw mismatch(type, json) }
    return items
  }

  private func element(
    _ type: SchemaType
  ) -> ((offset: Int, element: JSONValue)) throws(SchemaValueError) -> CBORValue {
    { (item) throws(SchemaValueError) in try inside("[\(item.offset)]", item.element, type) }
  }

  func inside(_ part: String, _ json: JSONValue, _ type: SchemaType) throws(SchemaValueError) -> CBORValue {
    do throws(SchemaValueError) {
      return try value(of: json, as: type)
    } catch {
      throw error.inside(part)
    }
  }

  private func pair(
    _ json: JSONValue, _ index: Int, _ key: SchemaType, _ type: SchemaType
  ) throws(SchemaValueError) -> CBORValue.Pair {
    guard case .array(let items) = json, items.count == 2 else {
      throw SchemaValueError("[\(index)]", "expected a pair, as in [key, value], not \(json.kind)")
    }
    return CBORValue.Pair(
      key: try inside("[\(index)][0]", items[0], key), value: try inside("[\(index)][1]", items[1], type))
  }

  private func identified(_ elements: [CBORValue], _ type: SchemaType) throws(SchemaValueError) -> CBORValue {
    let elementType = ElementType(type, in: schema)
    var ids: Set<ElementID> = []
    for (index, element) in elements.enumerated() {
      guard let id = elementType.id(of: element), !ids.insert(id).inserted else { continue }
      throw SchemaValueError("[\(index)]", "this element has the id of an earlier one")
    }
    return .array(elements)
  }

  private func dictionary(
    _ json: JSONValue, _ key: SchemaType, _ type: SchemaType, _ whole: SchemaType
  ) throws(SchemaValueError) -> CBORValue {
    var pairs: [CBORValue.Pair] = []
    switch json {
    case .object(let members) where key == .named("String"):
      for member in members {
        pairs.append(CBORValue.Pair(key: .text(member.name), value: try inside(member.name, member.value, type)))
      }
    case .array(let items):
      for (index, item) in items.enumerated() { pairs.append(try pair(item, index, key, type)) }
    default: throw mismatch(whole, json)
    }
    let sorted = pairs.map { (bytes: $0.key.encoded(), pair: $0) }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    for (one, next) in zip(sorted, sorted.dropFirst()) where one.bytes == next.bytes {
      throw SchemaValueError("", "a key of the dictionary stands there twice")
    }
    return .map(sorted.map(\.pair))
  }

  private func structure(
    _ json: JSONValue, _ fields: [Schema.Field], _ name: String
  ) throws(SchemaValueError) -> CBORValue {
    guard case .object(let members) = json else {
      throw SchemaValueError("", "expected an object with the fields of \(name), not \(json.kind)")
    }
    for (index, member) in members.enumerated() {
      guard fields.contains(where: { $0.name == member.name }) else {
        throw SchemaValueError(
          "", "\(name) has no field '\(member.name)'",
          suggestions: Spelling.nearest(to: member.name, among: fields.map(\.name)), type: name)
      }
      guard members.firstIndex(where: { $0.name == member.name }) == index else {
        throw SchemaValueError("", "the field '\(member.name)' stands there twice")
      }
    }
    var pairs: [CBORValue.Pair] = []
    for field in fields {
      if let given = json[field.name] {
        pairs.append(CBORValue.Pair(key: .unsigned(field.key), value: try inside(field.name, given, field.type)))
      } else if !field.hasDefault {
        throw SchemaValueError("", "the field '\(field.name)' of \(name) is missing")
      }
    }
    return .map(pairs)
  }

  private func enumeration(
    _ json: JSONValue, _ cases: [Schema.Case], _ type: String
  ) throws(SchemaValueError) -> CBORValue {
    let (name, payload): (String, JSONValue?)
    switch json {
    case .string(let text): (name, payload) = (text, nil)
    case .object(let members) where members.count == 1: (name, payload) = (members[0].name, members[0].value)
    default: throw SchemaValueError("", "expected the name of a case of \(type), not \(json.kind)")
    }
    guard let element = cases.first(where: { $0.name == name }) else {
      throw SchemaValueError(
        "", "\(type) has no case '\(name)'", suggestions: Spelling.nearest(to: name, among: cases.map(\.name)),
        type: type)
    }
    return try value(of: element, payload.map { [$0] } ?? [])
  }

  /// A case with its values, given individually, or several of them as one object or array.
  func value(of element: Schema.Case, _ given: [JSONValue]) throws(SchemaValueError) -> CBORValue {
    guard !element.payload.isEmpty else {
      guard given.isEmpty else { throw SchemaValueError("", "the case '\(element.name)' holds nothing") }
      return .unsigned(element.key)
    }
    return .array([.unsigned(element.key)] + (try values(of: element, given)))
  }

  private func values(of element: Schema.Case, _ given: [JSONValue]) throws(SchemaValueError) -> [CBORValue] {
    let payload = element.payload
    var given = given
    if payload.count > 1, given.count == 1 {
      switch given[0] {
      case .array(let items): given = items
      case .object(let members) where element.hasLabels:
        for member in members where !payload.contains(where: { $0.label == member.name }) {
          throw SchemaValueError(
            element.name, "there is no value '\(member.name)'",
            suggestions: Spelling.nearest(to: member.name, among: payload.map(\.label)))
        }
        // An optional value may be omitted, like an optional field.
        let object = given[0]
        given = []
        for value in payload {
          guard let item = object[value.label] ?? (isOptional(value.type) ? .null : nil) else {
            throw SchemaValueError(element.name, "the value '\(value.label)' is missing")
          }
          given.append(item)
        }
      default: break
      }
    }
    guard given.count == payload.count else {
      let count = payload.count == 1 ? "1 value" : "\(payload.count) values"
      throw SchemaValueError("", "\(element.signature(in: schema)) needs \(count), not \(given.count)")
    }
    var values: [CBORValue] = []
    for (index, (item, value)) in zip(given, payload).enumerated() {
      let place = payload.count == 1 ? element.name : "\(element.name).\(SchemaPlace.labels(of: payload)[index])"
      values.append(try inside(place, item, value.type))
    }
    return values
  }

  private func isOptional(_ type: SchemaType) -> Bool {
    if case .named(let name, let parts) = type { NamedLayout(name, parts.count) == .optional } else { false }
  }
}

extension JSONValue {
  /// Its kind, for an error.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let digits): "the number \(digits)"
    case .string(let text): "the string \(JSONValue.string(text.count > 40 ? text.prefix(40) + "…" : text))"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
