package import SchemaNames
package import Wire

/// A column of the table of a collection.
package struct PageColumn: Equatable, Sendable, Identifiable {
  /// What a cell shows of its element.
  package enum Content: Equatable, Sendable {
    /// The name of the element: its key in a dictionary, its number in a stack, its index in an array.
    case key
    /// A field of the element by its key on the wire.
    case field(UInt64)
    /// The whole element.
    case whole
  }

  /// The name of the field, as the configuration names the column; `key` and `value` for the other contents.
  package let name: String
  /// The heading.
  package var title: String
  /// What a cell shows.
  package let content: Content
  /// The type of the shown part.
  package let type: SchemaType
  /// True if the column names the element, and is never left out.
  package var isTitle = false

  package var id: String { name }
  /// True if the cells are aligned at their ends.
  package var isNumeric: Bool { FieldRank.isNumber(type) }

  /// The columns for the elements of a collection in a useful order; empty for any other type.
  ///
  /// - Parameter type: The type of the collection; optionals around it are ignored.
  /// - Complexity: O(n log n) for n fields.
  package static func columns(of type: SchemaType, in schema: Schema) -> [PageColumn] {
    guard case .named(let name, let parts) = FieldRank.unwrapped(type) else { return [] }
    switch NamedLayout(name, parts.count) {
    case .identified: return columns(ofElement: parts[1], in: schema)
    case .stack: return [key(.named("StackElementID"))] + columns(ofElement: parts[0], in: schema)
    case .dictionary: return [key(parts[0])] + columns(ofElement: parts[1], in: schema)
    case .array, .set: return [key(.named("Int"))] + columns(ofElement: parts[0], in: schema)
    default: return []
    }
  }

  private static func key(_ type: SchemaType) -> PageColumn {
    PageColumn(name: "key", title: type == .named("Int") ? "#" : "Key", content: .key, type: type)
  }

  private static func columns(ofElement type: SchemaType, in schema: Schema) -> [PageColumn] {
    guard case .definition(let index) = FieldRank.unwrapped(type),
      case .fields(let fields) = schema.definitions[index].content, !fields.isEmpty
    else { return [PageColumn(name: "value", title: "Value", content: .whole, type: type)] }
    let naming = FieldRank.naming(fields, of: schema.definitions[index])?.key
    return FieldRank.sorted(fields, of: schema.definitions[index], in: schema).map { field in
      PageColumn(
        name: field.name, title: Wording.title(field.name), content: .field(field.key), type: field.type,
        isTitle: field.key == naming)
    }
  }

  /// The part of an element that the column shows; nil if it is absent.
  package func part(of element: SchemaValues.Part) -> CBORValue? {
    switch content {
    case .key: return nil
    case .whole: return element.value
    case .field(let key):
      var value = element.value
      // The element of a dictionary or an array may be optional.
      while case .array(let items) = value, items.count == 1, element.type != type { value = items[0] }
      guard case .map(let pairs) = value else { return nil }
      return pairs.first { $0.key == .unsigned(key) }?.value
    }
  }
}
