/// The type of the elements of an identified array or a stack, and the place of an element's id.
package struct ElementType {
  /// The type of an element; in a stack, of the part after the id.
  package let element: SchemaType
  /// True if each element is written as `[id, element]`.
  package let isInStack: Bool
  /// The type of the ids.
  package let idType: SchemaType
  /// The keys that lead from an element to its id; empty in a stack, and for an element with a computed id.
  private let idPath: [UInt64]

  /// - Precondition: `type` is an identified array or a stack.
  package init(_ type: SchemaType, in schema: Schema) {
    guard case .named(let name, let parts) = type else {
      preconditionFailure("only named types have elements with ids")
    }
    isInStack = NamedLayout(name, parts.count) == .stack
    element = isInStack ? parts[0] : parts[1]
    idType = isInStack ? .named("StackElementID") : parts[0]
    if case .definition(let index) = element, !isInStack {
      idPath = schema.definitions[index].id
    } else {
      idPath = []
    }
  }

  /// The id of an element; nil if it has none.
  package func id(of element: CBORValue) -> ElementID? {
    if case .array(let items) = element, isInStack { return items.first.map(ElementID.init) }
    guard !idPath.isEmpty else { return nil }
    var value = element
    for key in idPath {
      guard case .map(let pairs) = value, let pair = pairs.first(where: { $0.key == .unsigned(key) }) else {
        return nil
      }
      value = pair.value
    }
    return ElementID(value)
  }

  /// The elements of a list by their ids; nil for other values, and if an id is unknown or occurs twice.
  /// - Complexity: O(1) for a list that `SchemaValues` has read, O(n log n) for a plain array.
  package func elements(of value: CBORValue) -> CBORElements? {
    switch value {
    case .elements(let items): return items
    case .array(let items):
      var elements = CBORElements()
      for item in items {
        guard let id = id(of: item), elements.insert(item, id: id, at: elements.count) else { return nil }
      }
      return elements
    default: return nil
    }
  }
}
