internal import IdentifiedCollections

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
        guard let (element, values) = SchemaJSON.element(of: value, cases), !values.isEmpty else { return nil }
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

  private func part(_ entry: CBORElements.Entry, _ type: ElementType) -> Part? {
    let name = schema.text(ofID: entry.id.encoded(), type.idType, isInStack: type.isInStack)
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

  /// Returns true if the values of a type have elements.
  package func isCollection(_ type: SchemaType) -> Bool {
    switch layout(of: type) {
    case .array, .identified, .set, .dictionary, .stack: true
    default: false
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

  /// A difference between two values of a type.
  package struct Difference {
    /// The path of the part, such as `.count` or `[3].text`; empty for the whole value.
    package var path: String
    package var type: SchemaType
    /// The old value; nil if the part was inserted.
    package var old: CBORValue?
    /// The new value; nil if the part was removed.
    package var new: CBORValue?

    package init(path: String, type: SchemaType, old: CBORValue?, new: CBORValue?) {
      (self.path, self.type, self.old, self.new) = (path, type, old, new)
    }
  }

  /// The smallest named parts in which two values of a type differ, in the order of the new value; removed ones first.
  ///
  /// A part that moved within its collection is not a difference; the collection is.
  /// - Complexity: O(size of the values); for versions of one identified array or stack, O(k log n) for k changes.
  package func differences(from old: CBORValue, to new: CBORValue, as type: SchemaType) -> [Difference] {
    var found: [Difference] = []
    differences(from: old, to: new, as: type, at: "", &found)
    return found
  }

  private func differences(
    from old: CBORValue, to new: CBORValue, as type: SchemaType, at path: String, _ found: inout [Difference]
  ) {
    guard old != new else { return }
    let count = found.count
    defer {
      // Differences that the parts do not show: a case without values, an absent field, another order.
      if found.count == count { found.append(Difference(path: path, type: type, old: old, new: new)) }
    }
    if let (old, new, element) = elements(old, new, type) {
      return differences(from: old, to: new, element, at: path, &found)
    }
    let (oldRange, newRange) = differingElements(old, new, type)
    guard let olds = parts(of: old, as: type, in: oldRange), let news = parts(of: new, as: type, in: newRange) else {
      return
    }
    let oldParts = Dictionary(olds.map { ($0.name, $0) }) { first, _ in first }
    let newNames = Set(news.map(\.name))
    // A different case of an enum is a different value.
    if case .definition(let index) = type, case .cases = schema.definitions[index].content,
      newNames != Set(oldParts.keys)
    {
      return
    }
    for part in olds where !newNames.contains(part.name) {
      found.append(Difference(path: path + part.suffix, type: part.type, old: part.value, new: nil))
    }
    for part in news {
      if let before = oldParts[part.name] {
        differences(from: before.value, to: part.value, as: part.type, at: path + part.suffix, &found)
      } else {
        found.append(Difference(path: path + part.suffix, type: part.type, old: nil, new: part.value))
      }
    }
  }
}

extension SchemaValues {
  /// Returns the elements of two identified arrays or stacks, also in optionals; nil for other values.
  private func elements(
    _ old: CBORValue, _ new: CBORValue, _ type: SchemaType
  ) -> (old: CBORElements, new: CBORElements, type: ElementType)? {
    guard case .named(let name, let parts) = type else { return nil }
    switch (NamedLayout(name, parts.count), old, new) {
    case (.optional, .array(let old), .array(let new)) where old.count == 1 && new.count == 1:
      return elements(old[0], new[0], parts[0])
    case (.identified, _, _), (.stack, _, _):
      let element = ElementType(type, in: schema)
      guard let old = element.elements(of: old), let new = element.elements(of: new) else { return nil }
      return (old, new, element)
    default: return nil
    }
  }

  private func differences(
    from old: CBORElements, to new: CBORElements, _ type: ElementType, at path: String, _ found: inout [Difference]
  ) {
    var removed: [Difference] = []
    var rest: [(offset: Int, old: CBORElements.Entry?, new: CBORElements.Entry)] = []
    new.entries.visitChanges(from: old.entries) { change in
      switch change {
      case .remove(_, let entry, _):
        guard let part = part(entry, type) else { return }
        removed.append(Difference(path: path + part.suffix, type: part.type, old: part.value, new: nil))
      case .insert(_, let entry, let offset): rest.append((offset, nil, entry))
      case .update(_, let before, let after, let offset): rest.append((offset, before, after))
      case .move: break
      }
    }
    found += removed.reversed()
    for (_, before, after) in rest.sorted(by: { $0.offset < $1.offset }) {
      guard let part = part(after, type) else { continue }
      if let before = before.flatMap({ self.part($0, type) }) {
        differences(from: before.value, to: part.value, as: part.type, at: path + part.suffix, &found)
      } else {
        found.append(Difference(path: path + part.suffix, type: part.type, old: nil, new: part.value))
      }
    }
  }

  /// Returns the ranges between the common beginning and the common end of two collections; nil for other values.
  ///
  /// Only the elements in these ranges need names. A change to one element of a million therefore costs only
  /// comparisons.
  private func differingElements(
    _ old: CBORValue, _ new: CBORValue, _ type: SchemaType
  ) -> (old: Range<Int>?, new: Range<Int>?) {
    guard case .named(let name, let parts) = type else { return (nil, nil) }
    switch (NamedLayout(name, parts.count), old, new) {
    case (.optional, .array(let old), .array(let new)) where old.count == 1 && new.count == 1:
      return differingElements(old[0], new[0], parts[0])
    // An element of a plain array is named by its index, which changes after an insertion before it.
    case (.array, .array(let old), .array(let new)):
      let first = Self.commonCount(old, new)
      return (first..<old.count, first..<new.count)
    case (.identified, .array(let old), .array(let new)): return Self.between(old, new)
    case (.dictionary, .map(let old), .map(let new)): return Self.between(old, new)
    default: return (nil, nil)
    }
  }

  private static func between<Item: Equatable>(_ old: [Item], _ new: [Item]) -> (Range<Int>?, Range<Int>?) {
    let first = commonCount(old, new)
    let last = commonCount(old[first...].reversed(), new[first...].reversed())
    return (first..<old.count - last, first..<new.count - last)
  }
}

extension SchemaValues {
  /// Returns the number of equal items at the beginning of two collections.
  private static func commonCount<Items: Collection>(_ a: Items, _ b: Items) -> Int where Items.Element: Equatable {
    var count = 0
    for (one, other) in zip(a, b) {
      guard one == other else { break }
      count += 1
    }
    return count
  }
}

extension Range<Int> {
  fileprivate func clamped(to limits: Range<Int>?) -> Range<Int> { limits.map { clamped(to: $0) } ?? self }
}

extension SchemaValues.Part {
  /// The name as a suffix of a path.
  package var suffix: String { name.hasPrefix("[") ? name : ".\(name)" }
}
