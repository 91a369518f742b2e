extension SchemaValues {
  /// A named part of a value.
  package struct Part {
    /// The name in a path, such as `count`, or `[3]` for an element.
    package var name: String
    package var type: SchemaType
    package var value: CBORValue
  }

  /// The named parts of a value in order: fields, the payload of a case, elements. For an optional, the parts of its
  /// value.
  ///
  /// Nil for a value without parts: a number, a text, nil, a set, a case without a payload, a value that does not match
  /// the type. Elements of plain arrays are named by their index and pairs of dictionaries by their key, although no
  /// path leads into them.
  /// - Complexity: O(parts).
  package func parts(of value: CBORValue, as type: SchemaType) -> [Part]? {
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
      if name == "raw", parts.count == 2 { return self.parts(of: value, as: parts[1]) }
      guard let layout = NamedLayout(name, parts.count) else { return nil }
      return self.parts(of: value, layout, type, parts)
    }
  }

  private func parts(
    of value: CBORValue, _ layout: NamedLayout, _ type: SchemaType, _ parts: [SchemaType]
  ) -> [Part]? {
    switch (layout, value) {
    case (.optional, .array(let items)) where items.count == 1: return self.parts(of: items[0], as: parts[0])
    case (.result, .array(let items)) where items.count == 2:
      guard case .unsigned(let key) = items[0], key < 2 else { return nil }
      return [Part(name: key == 0 ? "success" : "failure", type: parts[Int(key)], value: items[1])]
    case (.array, .array(let items)):
      return items.enumerated().map { Part(name: "[\($0)]", type: parts[0], value: $1) }
    case (.dictionary, .map(let pairs)):
      return pairs.map { pair in
        let key = schema.text(ofID: pair.key.encoded(), parts[0], isInStack: false)
        return Part(name: key, type: parts[1], value: pair.value)
      }
    case (.identified, .array(let items)):
      let element = ElementType(type, in: schema)
      return items.enumerated().map { index, item in
        let name = element.id(of: item).map { schema.text(ofID: $0.encoded(), element.idType, isInStack: false) }
        return Part(name: name ?? "[\(index)]", type: element.element, value: item)
      }
    case (.stack, .array(let items)):
      return items.compactMap { item in
        guard case .array(let pair) = item, pair.count == 2 else { return nil }
        let name = schema.text(ofID: pair[0].encoded(), .named("StackElementID"), isInStack: true)
        return Part(name: name, type: parts[0], value: pair[1])
      }
    default: return nil
    }
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
  /// - Complexity: O(size of the values).
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
    guard let olds = parts(of: old, as: type), let news = parts(of: new, as: type) else { return }
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

extension SchemaValues.Part {
  /// The name as a suffix of a path.
  package var suffix: String { name.hasPrefix("[") ? name : ".\(name)" }
}
