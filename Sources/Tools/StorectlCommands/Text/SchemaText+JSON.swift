internal import JSONText
internal import SchemaNames
internal import Wire

/// The schema as JSON, whose form docs/SCHEMA.md describes: programs read it.
extension SchemaText {
  /// The version of the form. It grows when a member is removed, or means something else.
  private static var format: UInt64 { 1 }

  /// Returns the whole schema.
  var json: JSONValue {
    [
      "format": .integer(Self.format), "fingerprint": .string("\(schema.fingerprint)"),
      "state": .string(schema.name(of: schema.state)), "stateForm": Self.form(schema.state),
      "action": .string(schema.name(of: schema.action)), "actionForm": Self.form(schema.action),
      "types": .array(schema.definitions.indices.map { json($0) }),
    ]
  }

  /// Returns the definition with an index.
  func json(_ index: Int) -> JSONValue {
    let definition = schema.definitions[index]
    var members: [JSONValue.Member] = [
      .init("index", .integer(UInt64(index))), .init("name", .string(definition.name)),
    ]
    switch definition.content {
    case .fields(let fields):
      members += [
        .init("kind", "struct"), .init("id", idPath(definition).map { .string($0) } ?? .null),
        .init("idKeys", .array(definition.id.map { .integer($0) })),
        .init("fields", .array(fields.map { json($0, documentation.text(ofMember: $0.key, of: index)) })),
      ]
    case .cases(let cases):
      members += [
        .init("kind", "enum"),
        .init("cases", .array(cases.map { json($0, documentation.text(ofMember: $0.key, of: index)) })),
      ]
    }
    return .object(members + Self.documentation(documentation.text(of: index)))
  }

  private func json(_ field: Schema.Field, _ text: String?) -> JSONValue {
    .object(
      [
        .init("key", .integer(field.key)), .init("name", .string(field.name)),
        .init("type", .string(schema.name(of: field.type))), .init("form", Self.form(field.type)),
        .init("hasDefault", .bool(field.hasDefault)),
      ] + Self.formerNames(field.formerNames) + Self.documentation(text))
  }

  private func json(_ element: Schema.Case, _ text: String?) -> JSONValue {
    let values: [JSONValue] = element.payload.map { value in
      [
        "label": value.label.isEmpty ? .null : .string(value.label), "type": .string(schema.name(of: value.type)),
        "form": Self.form(value.type),
      ]
    }
    return .object(
      [
        .init("key", .integer(element.key)), .init("name", .string(element.name)), .init("values", .array(values)),
      ] + Self.formerNames(element.formerNames) + Self.documentation(text))
  }

  private static func formerNames(_ names: [String]) -> [JSONValue.Member] {
    names.isEmpty ? [] : [.init("formerNames", .array(names.map { .string($0) }))]
  }

  private static func documentation(_ text: String?) -> [JSONValue.Member] {
    text.map { [.init("documentation", .string($0))] } ?? []
  }

  /// Returns a type as in section 11 of the protocol: the index of a definition, a name, or a name with its parts.
  private static func form(_ type: SchemaType) -> JSONValue {
    switch type {
    case .definition(let index): .integer(UInt64(index))
    case .named(let name, let parts): parts.isEmpty ? .string(name) : .array([.string(name)] + parts.map { form($0) })
    }
  }
}
