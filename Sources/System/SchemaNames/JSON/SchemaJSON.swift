public import JSONText
public import Wire

/// Converts values of a schema's types to JSON and back, for tools that were compiled without the feature.
///
/// ```swift
/// let json = SchemaJSON(schema)
/// print(json.json(of: state, as: schema.state))          // {"counter":{"count":3,…},…}
/// ```
///
/// Each value has one JSON form, which converts back to the same value. `docs/man/storectl.1` describes the forms:
///
/// | type | JSON |
/// |---|---|
/// | struct | object of the fields by their names, in the order of their keys; an absent field is left out |
/// | enum | `"name"`; `{"name": value}`; with several values `{"name": {label: value …}}`, or an array without labels |
/// | optional | the value or null; an optional in an optional is `{"some": value}` |
/// | integers | numbers; beyond ±(2⁵³ − 1) strings of digits, since many readers round such numbers |
/// | floats | numbers; `"NaN"`, `"Infinity"`, `"-Infinity"`; a NaN with a payload `"NaN(7ff8000000000001)"` |
/// | array, set, identified array | array |
/// | dictionary | object if its keys are strings, else an array of `[key, value]` |
/// | stack | array of `[id, element]` |
/// | result | `{"success": value}` or `{"failure": value}` |
/// | range | `[lower, upper]` |
/// | Data, UUID | hexadecimal digits; `"E621E1F8-C36C-495A-93FC-0C247A3E6E5F"` |
/// | Date | `"2026-11-21T22:51:30.5Z"`; seconds since 2001 as a number where a calendar would lose digits |
/// | Duration | `"1.5s"` |
/// | a change of a shared model | array of its edits, such as `[{"at": "[3].title", "set": "x"}]` |
/// | a type that only its own code reads | `{"cbor": "…"}`, its bytes in hexadecimal |
public struct SchemaJSON: Sendable {
  /// The schema whose types are converted.
  public let schema: Schema

  /// Creates a converter of a schema's types.
  public init(_ schema: Schema) {
    self.schema = schema
  }

  /// A value as JSON.
  ///
  /// A part whose form does not match its type is shown by its bytes, as `{"cbor": "…"}`.
  /// - Precondition: `type` is one of the schema's.
  /// - Complexity: O(size of the value).
  public func json(of value: CBORValue, as type: SchemaType) -> JSONValue {
    form(of: value, as: type) ?? ["cbor": .string(value.encoded().hexadecimal)]
  }

  /// Returns true if values of a type may be written as null.
  private func isNullable(_ type: SchemaType) -> Bool {
    switch type {
    case .named("raw", let parts) where parts.count == 2: isNullable(parts[1])
    case .named(let name, let parts): NamedLayout(name, parts.count) == .optional
    case .definition: false
    }
  }

  private func form(of value: CBORValue, as type: SchemaType) -> JSONValue? {
    switch type {
    case .definition(let index):
      switch schema.definitions[index].content {
      case .fields(let fields): return structure(value, fields)
      case .cases(let cases): return enumeration(value, cases)
      }
    case .named(let name, let parts):
      guard let layout = NamedLayout(name, parts.count) else {
        if name == "raw", parts.count == 2 { return form(of: value, as: parts[1]) }
        return leaf(value, name)
      }
      return form(of: value, layout, parts)
    }
  }

  private func form(of value: CBORValue, _ layout: NamedLayout, _ parts: [SchemaType]) -> JSONValue? {
    switch (layout, value) {
    case (.optional, .simple(22)): return .null
    case (.optional, .array(let items)) where items.count == 1:
      let wrapped = json(of: items[0], as: parts[0])
      return isNullable(parts[0]) ? ["some": wrapped] : wrapped
    case (.array, .array(let items)), (.set, .array(let items)): return .array(items.map { json(of: $0, as: parts[0]) })
    case (.identified, _): return value.items.map { .array($0.map { json(of: $0, as: parts[1]) }) }
    case (.stack, _):
      guard let items = value.items else { return nil }
      return .array(
        items.map { item in
          guard case .array(let pair) = item, pair.count == 2 else { return json(of: item, as: .named("")) }
          return .array([json(of: pair[0], as: .named("StackElementID")), json(of: pair[1], as: parts[0])])
        })
    case (.dictionary, .map(let pairs)):
      guard parts[0] == .named("String") else {
        return .array(pairs.map { .array([json(of: $0.key, as: parts[0]), json(of: $0.value, as: parts[1])]) })
      }
      var members: [JSONValue.Member] = []
      for pair in pairs {
        guard case .text(let key) = pair.key else { return nil }
        members.append(JSONValue.Member(key, json(of: pair.value, as: parts[1])))
      }
      return .object(members)
    case (.result, .array(let items)) where items.count == 2:
      guard case .unsigned(let key) = items[0], key < 2 else { return nil }
      return [key == 0 ? "success" : "failure": json(of: items[1], as: parts[Int(key)])]
    case (.range, .array(let items)) where items.count == 2:
      return .array(items.map { json(of: $0, as: parts[0]) })
    case (.button, .array(let items)), (.alert, .array(let items)), (.dialog, .array(let items)):
      return prompt(items, layout, parts[0])
    case (.change, _): return change(value, parts[0])
    default: return nil
    }
  }

  private func structure(_ value: CBORValue, _ fields: [Schema.Field]) -> JSONValue? {
    guard case .map(let pairs) = value else { return nil }
    var members: [JSONValue.Member] = []
    members.reserveCapacity(pairs.count)
    var rest = fields[...]
    for pair in pairs {
      guard case .unsigned(let key) = pair.key else { return nil }
      // Both are in the order of their keys.
      while let field = rest.first, field.key < key { rest.removeFirst() }
      guard let field = rest.first, field.key == key else { continue }
      members.append(JSONValue.Member(field.name, json(of: pair.value, as: field.type)))
    }
    return .object(members)
  }

  private func enumeration(_ value: CBORValue, _ cases: [Schema.Case]) -> JSONValue? {
    guard let (element, values) = SchemaValues.element(of: value, cases) else { return nil }
    guard !values.isEmpty else { return .string(element.name) }
    let items = zip(values, element.payload).map { json(of: $0, as: $1.type) }
    if items.count == 1 { return [element.name: items[0]] }
    guard element.hasLabels else { return [element.name: .array(items)] }
    return [element.name: .object(zip(element.payload, items).map { JSONValue.Member($0.label, $1) })]
  }
}

extension Schema.Case {
  /// True if all values have labels, and the labels are distinct.
  var hasLabels: Bool { payload.allSatisfy { !$0.label.isEmpty } && Set(payload.map(\.label)).count == payload.count }

  /// The declaration of the case: `moved(id: Int, before: Int?)`.
  package func signature(in schema: Schema) -> String {
    guard !payload.isEmpty else { return name }
    let values = payload.map { ($0.label.isEmpty ? "" : "\($0.label): ") + schema.name(of: $0.type) }
    return "\(name)(\(values.joined(separator: ", ")))"
  }
}
