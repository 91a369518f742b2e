internal import JSONText
internal import SchemaNames
internal import Wire

/// The text of a schema: declarations as in Swift, each with its key on the wire.
nonisolated struct SchemaText {
  let schema: Schema
  let palette: Palette

  func lines(_ definitions: [Schema.Definition]) -> [String] {
    definitions.enumerated().flatMap { index, definition in (index > 0 ? [""] : []) + lines(definition) }
  }

  private func lines(_ definition: Schema.Definition) -> [String] {
    switch definition.content {
    case .fields(let fields):
      let id = idPath(definition)
      let head = palette.strong("struct \(Self.safe(definition.name))")
      return [head + (id.map { palette.faint("  // id: \($0)") } ?? "")]
        + fields.map { field in
          let note = field.hasDefault ? "" : palette.faint("  // required")
          return
            "  \(palette.faint(Self.key(field.key))) \(palette.name(Self.safe(field.name))): \(Self.safe(Self.name(of: field.type, in: schema)))\(note)"
        }
    case .cases(let cases):
      return [palette.strong("enum \(Self.safe(definition.name))")]
        + cases.map { element in
          let values = Self.values(element.payload, in: schema)
          return
            "  \(palette.faint(Self.key(element.key))) case \(palette.name(Self.safe(element.name)))\(Self.safe(values))"
        }
    }
  }

  /// Returns a type as written in Swift: `Int?`, `[String: Int]`.
  static func name(of type: SchemaType, in schema: Schema) -> String {
    guard case .named(let name, let parts) = type, name != "raw", name != "opaque" else {
      return schema.name(of: type)
    }
    let names = parts.map { self.name(of: $0, in: schema) }
    return switch NamedLayout(name, parts.count) {
    case .optional: "\(names[0])?"
    case .array: "[\(names[0])]"
    case .dictionary: "[\(names[0]): \(names[1])]"
    default: parts.isEmpty ? name : "\(name)<\(names.joined(separator: ", "))>"
    }
  }

  /// Returns the associated values of a case as declared, such as `(id: Int, before: Int?)`; empty if there are none.
  static func values(_ payload: [Schema.Payload], in schema: Schema) -> String {
    let values = payload.map { ($0.label.isEmpty ? "" : "\($0.label): ") + name(of: $0.type, in: schema) }
    return values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
  }

  private static func key(_ key: UInt64) -> String { key < 10 ? " \(key)" : "\(key)" }
  private static func safe(_ text: String) -> String { ValueText.safe(text) }

  /// Returns the path from a struct to its id, by name.
  private func idPath(_ definition: Schema.Definition) -> String? {
    guard !definition.id.isEmpty else { return nil }
    var (names, current): ([String], Schema.Definition?) = ([], definition)
    for key in definition.id {
      guard case .fields(let fields)? = current?.content, let field = fields.first(where: { $0.key == key }) else {
        return nil
      }
      names.append(Self.safe(field.name))
      if case .definition(let index) = field.type { current = schema.definitions[index] } else { current = nil }
    }
    return names.joined(separator: ".")
  }

  /// Returns a definition as JSON.
  func json(_ definition: Schema.Definition) -> JSONValue {
    switch definition.content {
    case .fields(let fields):
      [
        "name": .string(definition.name), "kind": "struct", "id": idPath(definition).map { .string($0) } ?? .null,
        "fields": .array(
          fields.map { field in
            [
              "key": .integer(field.key), "name": .string(field.name), "type": .string(schema.name(of: field.type)),
              "hasDefault": .bool(field.hasDefault),
            ]
          }),
      ]
    case .cases(let cases):
      [
        "name": .string(definition.name), "kind": "enum",
        "cases": .array(
          cases.map { element in
            [
              "key": .integer(element.key), "name": .string(element.name),
              "values": .array(
                element.payload.map { value in
                  [
                    "label": value.label.isEmpty ? .null : .string(value.label),
                    "type": .string(schema.name(of: value.type)),
                  ]
                }),
            ]
          }),
      ]
    }
  }
}
