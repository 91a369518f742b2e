internal import IdentifiedCollections
package import Wire

extension SchemaValues {
  /// The part of a value at a path; nil if the part is absent or the path does not exist.
  /// - Complexity: O(steps × fields); for an element by its id O(log n), and O(n log n) in a plain array.
  package func part(
    at path: some Collection<PathStep>, of value: CBORValue, as type: SchemaType
  ) -> (value: CBORValue, type: SchemaType)? {
    guard let step = path.first else { return (value, type) }
    let rest = path.dropFirst()
    switch type {
    case .definition(let index):
      guard case .key(let key) = step else { return nil }
      switch schema.definitions[index].content {
      case .fields(let fields):
        guard case .map(let pairs) = value, let field = fields.first(where: { $0.key == key }),
          let pair = pairs.first(where: { $0.key == .unsigned(key) })
        else { return nil }
        return part(at: rest, of: pair.value, as: field.type)
      case .cases(let cases):
        guard let (element, values) = SchemaValues.element(of: value, cases), element.key == key else { return nil }
        guard values.count > 1 else {
          return values.first.flatMap { part(at: rest, of: $0, as: element.payload[0].type) }
        }
        guard case .key(let number)? = rest.first, let index = Int(exactly: number), index < values.count else {
          return nil
        }
        return part(at: rest.dropFirst(), of: values[index], as: element.payload[index].type)
      }
    case .named(let name, let parts):
      if name == "raw", parts.count == 2 { return part(at: path, of: value, as: parts[1]) }
      return NamedLayout(name, parts.count).flatMap { part(step, rest, of: value, $0, type, parts) }
    }
  }

  private func part(
    _ step: PathStep, _ rest: some Collection<PathStep>, of value: CBORValue, _ layout: NamedLayout, _ type: SchemaType,
    _ parts: [SchemaType]
  ) -> (value: CBORValue, type: SchemaType)? {
    switch (layout, step) {
    case (.identified, .id(let id)), (.stack, .id(let id)):
      let element = ElementType(type, in: schema)
      guard let key = try? unsafe CBORValue(decoding: id.span.bytes),
        let item = element.elements(of: value)?[id: ElementID(key)]
      else { return nil }
      guard element.isInStack else { return part(at: rest, of: item, as: element.element) }
      guard case .array(let pair) = item, pair.count == 2 else { return nil }
      return part(at: rest, of: pair[1], as: element.element)
    default: break
    }
    guard case .array(let items) = value else { return nil }
    switch (layout, step) {
    case (.optional, .key(0)) where items.count == 1: return part(at: rest, of: items[0], as: parts[0])
    case (.result, .key(let key)) where items.count == 2 && items[0] == .unsigned(key) && key < 2:
      return part(at: rest, of: items[1], as: parts[Int(key)])
    default: return nil
    }
  }
}

extension SchemaValues {
  /// The id with which a collection has an element, found as the hub finds it for an action: the element's own bytes may
  /// be others than those of the given id. Nil if there is no such element.
  /// - Complexity: O(log n); in a plain array O(n log n).
  package func storedID(_ id: CBORValue, in value: CBORValue, as type: SchemaType) -> CBORValue? {
    var type = type
    while case .named("raw", let parts) = type, parts.count == 2 { type = parts[1] }
    guard case .named(let name, let parts) = type, [.identified, .stack].contains(NamedLayout(name, parts.count)) else {
      return nil
    }
    return ElementType(type, in: schema).elements(of: value)?.entries[id: ElementID(id)]?.id.value
  }

  /// The path with the ids that the elements on it have; nil if one of them is absent.
  /// - Complexity: As `part(at:of:as:)`, for each id on the path.
  package func storedPath(_ path: [PathStep], in value: CBORValue, as type: SchemaType) -> [PathStep]? {
    var stored: [PathStep] = []
    for step in path {
      guard case .id(let bytes) = step else {
        stored.append(step)
        continue
      }
      guard let id = try? unsafe CBORValue(decoding: bytes.span.bytes),
        let list = part(at: stored, of: value, as: type), let found = storedID(id, in: list.value, as: list.type)
      else { return nil }
      stored.append(.id(found.encoded()))
    }
    return stored
  }
}
