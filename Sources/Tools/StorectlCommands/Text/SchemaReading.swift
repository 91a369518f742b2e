internal import JSONParser
internal import JSONText
internal import Wire

/// The schema from the form that docs/SCHEMA.md describes, which `SchemaText` writes.
extension DocumentedSchema {
  /// Reads a schema with its comments; nil if the text is not one of format 1, or has another fingerprint than it says.
  init?(json text: String) {
    guard let json = try? JSONValue(parsing: text), json["format"] == .integer(1 as UInt64),
      case .array(let types)? = json["types"], case .string(let fingerprint)? = json["fingerprint"],
      let state = json["stateForm"].flatMap(SchemaType.init(json:)),
      let action = json["actionForm"].flatMap(SchemaType.init(json:))
    else { return nil }
    var definitions: [Schema.Definition] = []
    var documentation = SchemaDocumentation()
    for (index, type) in types.enumerated() {
      guard let definition = Schema.Definition(json: type) else { return nil }
      definitions.append(definition)
      documentation.add(type.documentation, members: type.memberDocumentation, of: index)
    }
    // The initializer from bytes checks what a type may refer to.
    var encoder = CBOREncoder()
    encoder.arrayHeader(count: 2 + definitions.count)
    state.encode(to: &encoder)
    action.encode(to: &encoder)
    for definition in definitions { definition.encode(to: &encoder) }
    guard let schema = try? Schema(decoding: encoder.bytes.span.bytes), "\(schema.fingerprint)" == fingerprint else {
      return nil
    }
    self.init(schema, documentation)
  }
}

extension JSONValue {
  fileprivate var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  fileprivate var number: UInt64? {
    if case .number(let text) = self { UInt64(text) } else { nil }
  }

  fileprivate var items: [JSONValue]? {
    if case .array(let items) = self { items } else { nil }
  }

  /// The former names of a field or a case; empty if it has no such member, nil if that is no list of texts.
  fileprivate var formerNames: [String]? {
    guard let member = self["formerNames"] else { return [] }
    guard let items = member.items else { return nil }
    let names = items.compactMap(\.text)
    return names.count == items.count ? names : nil
  }

  fileprivate var documentation: String { self["documentation"]?.text ?? "" }

  /// The comments of a type's fields or cases, by their keys.
  fileprivate var memberDocumentation: [UInt64: String] {
    var texts: [UInt64: String] = [:]
    for member in self["fields"]?.items ?? self["cases"]?.items ?? [] {
      if let key = member["key"]?.number, let text = member["documentation"]?.text { texts[key] = text }
    }
    return texts
  }
}

extension SchemaType {
  fileprivate init?(json: JSONValue) {
    switch json {
    case .number(let text):
      guard let index = Int(text), index >= 0 else { return nil }
      self = .definition(index)
    case .string(let name): self = .named(name)
    case .array(let items):
      guard let name = items.first?.text, items.count > 1 else { return nil }
      var parts: [SchemaType] = []
      for item in items.dropFirst() {
        guard let part = SchemaType(json: item) else { return nil }
        parts.append(part)
      }
      self = .named(name, parts)
    default: return nil
    }
  }
}

extension Schema.Definition {
  fileprivate init?(json: JSONValue) {
    guard let name = json["name"]?.text else { return nil }
    if let fields = json["fields"]?.items {
      let known = fields.compactMap(Schema.Field.init(json:))
      guard known.count == fields.count, let keys = json["idKeys"]?.items else { return nil }
      self.init(name: name, id: keys.compactMap(\.number), content: .fields(known))
    } else if let cases = json["cases"]?.items {
      let known = cases.compactMap(Schema.Case.init(json:))
      guard known.count == cases.count else { return nil }
      self.init(name: name, content: .cases(known))
    } else {
      return nil
    }
  }
}

extension Schema.Field {
  fileprivate init?(json: JSONValue) {
    guard let key = json["key"]?.number, let name = json["name"]?.text,
      let type = json["form"].flatMap(SchemaType.init(json:)), case .bool(let hasDefault)? = json["hasDefault"],
      let formerNames = json.formerNames
    else { return nil }
    self.init(key: key, name: name, type: type, hasDefault: hasDefault, formerNames: formerNames)
  }
}

extension Schema.Case {
  fileprivate init?(json: JSONValue) {
    guard let key = json["key"]?.number, let name = json["name"]?.text, let values = json["values"]?.items,
      let formerNames = json.formerNames
    else { return nil }
    var payload: [Schema.Payload] = []
    for value in values {
      guard let type = value["form"].flatMap(SchemaType.init(json:)) else { return nil }
      payload.append(Schema.Payload(label: value["label"]?.text ?? "", type: type))
    }
    self.init(key: key, name: name, payload: payload, formerNames: formerNames)
  }
}
