package import Wire

/// The order in which a person wants to see the fields of a struct: what identifies it, then its state, its numbers, its
/// times, and last what is nested in it.
package enum FieldRank {
  /// The names of fields that name a thing, the best first.
  private static let naming = ["title", "name", "label", "subject", "displayName", "summary", "text"]

  /// The field that names a struct: one with such a name, or else its first text; nil if it has no text.
  package static func naming(_ fields: [Schema.Field], of definition: Schema.Definition) -> Schema.Field? {
    let texts = fields.filter { isText($0.type) }
    return naming.lazy.compactMap { name in texts.first { $0.name == name } }.first
      ?? texts.first { $0.key != definition.id.first && unwrapped($0.type) == $0.type }
  }

  /// The fields of a struct in a useful order.
  /// - Complexity: O(n log n).
  package static func sorted(
    _ fields: [Schema.Field], of definition: Schema.Definition, in schema: Schema
  ) -> [Schema.Field] {
    let name = naming(fields, of: definition)
    return fields.enumerated().map { offset, field in
      (rank: rank(field, definition, name, schema), offset: offset, field: field)
    }.sorted { ($0.rank, $0.offset) < ($1.rank, $1.offset) }.map(\.field)
  }

  private static func rank(
    _ field: Schema.Field, _ definition: Schema.Definition, _ name: Schema.Field?, _ schema: Schema
  ) -> Int {
    // Long ids say little: they stand at the end.
    if definition.id.first == field.key { return field.type == .named("UUID") ? 8 : 0 }
    if field == name { return 1 }
    let type = unwrapped(field.type)
    if ReadableValue.isNested(type, schema) { return 9 }
    switch type {
    case .definition, .named("Bool", _): return 2
    case .named("Date", _), .named("Duration", _): return 5
    case .named("String", _), .named("Substring", _), .named("URL", _): return 4
    case .named("UUID", _), .named("Data", _), .named("opaque", _): return 8
    default: return 3
    }
  }

  /// The type in optionals and raw values.
  static func unwrapped(_ type: SchemaType) -> SchemaType {
    guard case .named(let name, let parts) = type else { return type }
    if name == "raw", parts.count == 2 { return unwrapped(parts[1]) }
    return NamedLayout(name, parts.count) == .optional ? unwrapped(parts[0]) : type
  }

  static func isText(_ type: SchemaType) -> Bool {
    switch unwrapped(type) {
    case .named("String", _), .named("Substring", _), .named("TextState", _): true
    default: false
    }
  }

  /// True if values of a type are aligned at their ends.
  static func isNumber(_ type: SchemaType) -> Bool {
    guard case .named(let name, _) = unwrapped(type) else { return false }
    return name.hasPrefix("Int") || name.hasPrefix("UInt")
      || ["Double", "Float", "Decimal", "Duration", "StackElementID", "SharedCounter"].contains(name)
  }
}
