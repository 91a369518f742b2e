internal import JSONParser
internal import JSONText
internal import SchemaNames
package import Wire

/// A field whose text is no value of its type.
package struct FieldError: Error, Equatable, Sendable {
  /// The place of the line.
  package let place: [Int]
  /// The reason, such as `expected a value of type Int, not "x"`.
  package let reason: String
}

extension FieldNode {
  /// The value as JSON.
  /// - Throws: The first line that is no value of its type.
  func json(at place: [Int], in schema: Schema) throws(FieldError) -> JSONValue {
    switch content {
    case .toggle(let isOn): return .bool(isOn)
    case .line(let line): return try leaf(line, place, schema)
    case .json(let line):
      let parsed: JSONValue
      do throws(JSONError) { parsed = try JSONValue(parsing: line) } catch {
        throw FieldError(place: place, reason: "expected JSON: \(error)")
      }
      return try checked(parsed, place, schema)
    case .choice(let names, let chosen, let values):
      guard names.indices.contains(chosen) else { throw FieldError(place: place, reason: "choose one") }
      var items: [JSONValue] = []
      for (index, value) in values.enumerated() { items.append(try value.json(at: place + [index], in: schema)) }
      switch items.count {
      case 0: return .string(names[chosen])
      case 1: return .object([JSONValue.Member(names[chosen], items[0])])
      default: return .object([JSONValue.Member(names[chosen], payload(names[chosen], items, schema))])
      }
    case .optional(let isOn, _, let inner):
      guard isOn else { return .null }
      let value = try inner.json(at: place + [0], in: schema)
      // The form of a nested optional.
      if case .optional = inner.content, !isDefault { return ["some": value] }
      return value
    case .fields(let names, let nodes):
      var members: [JSONValue.Member] = []
      for (index, (name, node)) in zip(names, nodes).enumerated() where !node.isOmitted {
        members.append(JSONValue.Member(name, try node.json(at: place + [index], in: schema)))
      }
      return .object(members)
    }
  }

  /// Several values of a case, by their labels if all have one.
  private func payload(_ name: String, _ items: [JSONValue], _ schema: Schema) -> JSONValue {
    guard let element = schema.cases(of: FieldRank.unwrapped(type))?.first(where: { $0.name == name }),
      element.payload.allSatisfy({ !$0.label.isEmpty }), Set(element.payload.map(\.label)).count == items.count
    else { return .array(items) }
    return .object(zip(element.payload, items).map { JSONValue.Member($0.label, $1) })
  }

  private var isDefault: Bool { if case .optional(_, true, _) = content { true } else { false } }
  /// True for a field that has its default.
  private var isOmitted: Bool { if case .optional(false, true, _) = content { true } else { false } }

  private func leaf(_ text: String, _ place: [Int], _ schema: Schema) throws(FieldError) -> JSONValue {
    if FieldRank.isText(type) || isWord { return try checked(.string(text), place, schema) }
    let trimmed = text.trimmed
    guard !trimmed.isEmpty else { throw FieldError(place: place, reason: "a value is needed") }
    // Quotes are optional for dates, durations, UUIDs and such.
    let parsed = (try? JSONValue(parsing: trimmed)).flatMap { $0.isWord ? nil : $0 }
    return try checked(parsed ?? .string(trimmed), place, schema)
  }

  /// True for a type whose values are texts, also those that look like numbers.
  private var isWord: Bool {
    guard case .named(let name, _) = FieldRank.unwrapped(type) else { return false }
    return ["Character", "Unicode.Scalar", "URL", "Data", "UUID"].contains(name)
  }

  private func checked(_ json: JSONValue, _ place: [Int], _ schema: Schema) throws(FieldError) -> JSONValue {
    do throws(SchemaValueError) { _ = try SchemaJSON(schema).value(of: json, as: type) } catch {
      throw FieldError(place: place, reason: "\(error)")
    }
    return json
  }

  /// Creates a field with a value.
  package init(_ label: String, _ type: SchemaType, _ value: CBORValue, in schema: Schema) {
    self.init(label, type, in: schema)
    take(SchemaJSON(schema).json(of: value, as: type), schema)
  }

  /// Takes over a value, as far as it has the form of the field.
  mutating func take(_ json: JSONValue, _ schema: Schema) {
    switch (content, json) {
    case (.line, .string(let text)): content = .line(text)
    case (.line, _): content = .line("\(json)")
    case (.json, _): content = .json("\(json)")
    case (.toggle, .bool(let isOn)): content = .toggle(isOn)
    case (.choice(let names, let chosen, _), _): takeCase(json, names, chosen, schema)
    case (.optional(_, let isDefault, var inner), _):
      guard json != .null || isDefault else { return content = .optional(isOn: false, isDefault: false, inner) }
      inner.take(json, schema)
      content = .optional(isOn: true, isDefault: isDefault, inner)
    case (.fields(let names, var nodes), .object):
      for (index, name) in names.enumerated() {
        if let member = json[name] { nodes[index].take(member, schema) }
      }
      content = .fields(names: names, nodes)
    default: break
    }
  }

  private mutating func takeCase(_ json: JSONValue, _ names: [String], _ chosen: Int, _ schema: Schema) {
    let (name, payload): (String, JSONValue?)
    switch json {
    case .string(let text): (name, payload) = (text, nil)
    case .object(let members) where members.count == 1: (name, payload) = (members[0].name, members[0].value)
    default: return
    }
    guard let index = names.firstIndex(of: name) else { return }
    step(by: index - chosen, in: schema)
    guard case .choice(_, _, var values) = content, let payload else { return }
    switch payload {
    case .array(let items) where values.count > 1:
      for (offset, item) in items.enumerated() where values.indices.contains(offset) {
        values[offset].take(item, schema)
      }
    case .object(let members) where values.count > 1:
      for (offset, member) in members.enumerated() where values.indices.contains(offset) {
        values[offset].take(member.value, schema)
      }
    default: if !values.isEmpty { values[0].take(payload, schema) }
    }
    content = .choice(names: names, chosen: index, values: values)
  }
}

extension String {
  /// The text without spaces at its ends.
  var trimmed: String {
    let start = Substring(self).drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }
}

extension JSONValue {
  /// True for JSON that a user would write as a bare word.
  fileprivate var isWord: Bool { if case .null = self { true } else { false } }
}
