internal import SchemaNames
internal import Wire

/// The text of a schema: declarations as in Swift, each with its key on the wire and its comment.
nonisolated struct SchemaText {
  let schema: Schema
  var documentation = SchemaDocumentation()
  let palette: Palette

  /// Returns the lines for the definitions with these indices.
  func lines(_ indices: some Collection<Int>) -> [String] {
    indices.enumerated().flatMap { position, index in (position > 0 ? [""] : []) + lines(index) }
  }

  private func lines(_ index: Int) -> [String] {
    let definition = schema.definitions[index]
    func memberComment(_ key: UInt64) -> [String] {
      comment(documentation.text(ofMember: key, of: index), indentation: "     ")
    }
    let head: String
    let members: [String]
    switch definition.content {
    case .fields(let fields):
      let id = idPath(definition)
      head = palette.strong("struct \(Self.safe(definition.name))") + (id.map { palette.faint("  // id: \($0)") } ?? "")
      members = fields.flatMap { field in
        let note = note((field.hasDefault ? [] : ["required"]) + was(field.formerNames))
        let type = Self.safe(Self.name(of: field.type, in: schema))
        return memberComment(field.key) + ["\(self.head(field.key, field.name)): \(type)\(note)"]
      }
    case .cases(let cases):
      head = palette.strong("enum \(Self.safe(definition.name))")
      members = cases.flatMap { element in
        let values = Self.safe(Self.values(element.payload, in: schema))
        let note = note(was(element.formerNames))
        return memberComment(element.key) + ["\(self.head(element.key, element.name, "case "))\(values)\(note)"]
      }
    }
    return comment(documentation.text(of: index), indentation: "") + [head] + members
  }

  /// The comment at the end of a line.
  private func note(_ parts: [String]) -> String {
    parts.isEmpty ? "" : palette.faint("  // \(parts.joined(separator: ", "))")
  }

  private func was(_ formerNames: [String]) -> [String] {
    formerNames.isEmpty ? [] : ["was \(formerNames.map(Self.safe).joined(separator: ", "))"]
  }

  /// The beginning of the line of a field or a case.
  private func head(_ key: UInt64, _ name: String, _ keyword: String = "") -> String {
    "  \(palette.faint(key < 10 ? " \(key)" : "\(key)")) \(keyword)\(palette.name(Self.safe(name)))"
  }

  private func comment(_ text: String?, indentation: String) -> [String] {
    guard let text else { return [] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      indentation + palette.faint(line.isEmpty ? "///" : "/// \(Self.safe(String(line)))")
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

  private static func safe(_ text: String) -> String { ValueText.safe(text) }

  /// Returns the path from a struct to its id, by name.
  func idPath(_ definition: Schema.Definition) -> String? {
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
}
