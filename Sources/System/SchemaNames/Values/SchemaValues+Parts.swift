internal import IdentifiedCollections
package import Wire

extension SchemaValues {
  /// A named part of a value.
  package struct Part {
    /// The name in a path, such as `count`, or `[3]` for an element.
    package var name: String
    package var type: SchemaType
    package var value: CBORValue

    package init(name: String, type: SchemaType, value: CBORValue) {
      (self.name, self.type, self.value) = (name, type, value)
    }
  }

  /// The named parts of a value in order: fields, the payload of a case, elements. For an optional, the parts of its
  /// value.
  ///
  /// Nil for a value without parts: a number, a text, nil, a set, a case without a payload, a value that does not match
  /// the type. Elements of plain arrays are named by their index and pairs of dictionaries by their key, although no
  /// path leads into them.
  /// - Parameter range: The range of elements to return for a collection; nil for all. Other values return all their
  ///   parts.
  /// - Complexity: O(returned parts); for a plain array of elements with ids O(n log n).
  package func parts(of value: CBORValue, as type: SchemaType, in range: Range<Int>? = nil) -> [Part]? {
    switch type {
    case .definition(let index):
      switch schema.definitions[index].content {
      case .fields(let fields):
        guard case .map(let pairs) = value else { return nil }
        return fields.compactMap { field in
          pairs.first { $0.key == .unsigned(field.key) }
            .map { Part(name: NameText.name(field.name), type: field.type, value: $0.value) }
        }
      case .cases(let cases):
        guard let (element, values) = SchemaValues.element(of: value, cases), !values.isEmpty else { return nil }
        let name = NameText.name(element.name)
        guard values.count > 1 else { return [Part(name: name, type: element.payload[0].type, value: values[0])] }
        let labels = SchemaPlace.labels(of: element.payload)
        return values.indices.map {
          Part(name: "\(name).\(NameText.name(labels[$0]))", type: element.payload[$0].type, value: values[$0])
        }
      }
    case .named(let name, let parts):
      if name == "raw", parts.count == 2 { return self.parts(of: value, as: parts[1], in: range) }
      guard let layout = NamedLayout(name, parts.count) else { return nil }
      return self.parts(of: value, layout, type, parts, range)
    }
  }

  private func parts(
    of value: CBORValue, _ layout: NamedLayout, _ type: SchemaType, _ parts: [SchemaType], _ range: Range<Int>?
  ) -> [Part]? {
    switch (layout, value) {
    case (.optional, .array(let items)) where items.count == 1:
      return self.parts(of: items[0], as: parts[0], in: range)
    case (.result, .array(let items)) where items.count == 2:
      guard case .unsigned(let key) = items[0], key < 2 else { return nil }
      return [Part(name: key == 0 ? "success" : "failure", type: parts[Int(key)], value: items[1])]
    case (.array, .array(let items)):
      return items.indices.clamped(to: range).map { Part(name: "[\($0)]", type: parts[0], value: items[$0]) }
    case (.dictionary, .map(let pairs)):
      return pairs.indices.clamped(to: range).map { index in
        let key = schema.text(ofID: pairs[index].key.encoded(), parts[0], isInStack: false)
        return Part(name: key, type: parts[1], value: pairs[index].value)
      }
    case (.identified, _), (.stack, _):
      let element = ElementType(type, in: schema)
      if let items = element.elements(of: value) {
        return items.indices.clamped(to: range).compactMap { part(items.entries[$0], element) }
      }
      // Elements without known ids.
      guard case .array(let items) = value, !element.isInStack else { return nil }
      return items.indices.clamped(to: range).map { Part(name: "[\($0)]", type: parts[1], value: items[$0]) }
    default: return nil
    }
  }

  /// The part for an element of an identified array or a stack; nil if it is not well-formed.
  func part(_ entry: CBORElements.Entry, _ type: ElementType) -> Part? {
    let name = schema.text(ofID: entry.id.value.encoded(), type.idType, isInStack: type.isInStack)
    guard type.isInStack else { return Part(name: name, type: type.element, value: entry.value) }
    guard case .array(let pair) = entry.value, pair.count == 2 else { return nil }
    return Part(name: name, type: type.element, value: pair[1])
  }

  /// Returns the number of elements of a collection whose elements are parts; nil for any other value.
  /// - Complexity: O(1).
  package func elementCount(of value: CBORValue, as type: SchemaType) -> Int? {
    guard case .named(let name, let parts) = type else { return nil }
    if name == "raw", parts.count == 2 { return elementCount(of: value, as: parts[1]) }
    switch (NamedLayout(name, parts.count), value) {
    case (.optional, .array(let items)) where items.count == 1: return elementCount(of: items[0], as: parts[0])
    case (.array, .array(let items)), (.set, .array(let items)), (.identified, .array(let items)),
      (.stack, .array(let items)):
      return items.count
    case (.identified, .elements(let items)), (.stack, .elements(let items)): return items.count
    case (.dictionary, .map(let pairs)): return pairs.count
    default: return nil
    }
  }

  /// Returns true if the elements of a collection are named by keys or ids and not by positions.
  package func isKeyed(_ type: SchemaType) -> Bool { layout(of: type) != .array }

  /// The layout of a type without the optionals and raw values around it.
  private func layout(of type: SchemaType) -> NamedLayout? {
    guard case .named(let name, let parts) = type else { return nil }
    if name == "raw", parts.count == 2 { return layout(of: parts[1]) }
    let layout = NamedLayout(name, parts.count)
    return layout == .optional ? self.layout(of: parts[0]) : layout
  }
}

extension Range<Int> {
  fileprivate func clamped(to limits: Range<Int>?) -> Range<Int> { limits.map { clamped(to: $0) } ?? self }
}

extension SchemaValues.Part {
  /// The name as a suffix of a path.
  package var suffix: String { name.hasPrefix("[") ? name : ".\(name)" }
}

extension SchemaValues {
  /// The index of an element of an identified array or a stack by its name, such as `[3]`; nil if there is none, and for
  /// other collections.
  /// - Complexity: O(log n).
  package func index(ofElementNamed name: String, in value: CBORValue, as type: SchemaType) -> Int? {
    switch (layout(of: type), type, value) {
    case (_, .named("raw", let parts), _) where parts.count == 2:
      return index(ofElementNamed: name, in: value, as: parts[1])
    case (.identified, .named(_, let parts), .array(let items)) where parts.count == 1 && items.count == 1,
      (.stack, .named(_, let parts), .array(let items)) where parts.count == 1 && items.count == 1:
      return index(ofElementNamed: name, in: items[0], as: parts[0])
    case (.identified, _, .elements(let items)), (.stack, _, .elements(let items)):
      guard name.hasPrefix("["), name.hasSuffix("]"),
        let id = try? schema.id(named: String(name.dropFirst().dropLast()), ofElementsIn: type)
      else { return nil }
      return items.entries.index(id: ElementID(id))
    default: return nil
    }
  }
}
