package import Wire

extension SchemaValues {
  /// The edits of a change of a value of a type, in the order of the change; nil if it is not a change in the form that
  /// edits make.
  /// - Complexity: O(size of the change).
  package func edits(of change: CBORValue, as type: SchemaType) -> [ChangeEdit]? {
    if change == .map([]) { return [] }
    var reader = EditReader(schema: schema)
    return reader.read(change, type, at: EditPath()) && reader.room >= 0 ? reader.edits : nil
  }
}

/// The path of an edit in users' notation, in which only optionals at the end are steps.
private struct EditPath {
  private var names = ""
  private var unwrapped = 0

  var text: String {
    (names.hasPrefix(".") ? String(names.dropFirst()) : names) + String(repeating: "?", count: unwrapped)
  }

  func appending(_ suffix: String) -> Self {
    var path = self
    (path.names, path.unwrapped) = (names + suffix, 0)
    return path
  }

  func appending(name: String) -> Self { appending(".\(NameText.name(name))") }

  var unwrapping: Self {
    var path = self
    path.unwrapped += 1
    return path
  }
}

/// Reads a change as a list of edits. Functions return false for a change that has no such form.
private struct EditReader {
  let schema: Schema
  private(set) var edits: [ChangeEdit] = []
  /// The bytes of paths that may still be kept: a peer may write many edits below a long key.
  private(set) var room = 16 << 20

  init(schema: Schema) { self.schema = schema }

  mutating func read(_ change: CBORValue, _ type: SchemaType, at path: EditPath) -> Bool {
    guard room >= 0 else { return false }
    if case .definition(let index) = type, case .fields(let fields) = schema.definitions[index].content {
      return read(change, at: path) { key in
        fields.first { $0.key == key }.map { (path.appending(name: $0.name), $0.type) }
      }
    }
    guard case .map(let pairs) = change else { return readNewValue(change, type, at: path) }
    switch type {
    case .counter:
      guard pairs.count == 1, pairs[0].key == .unsigned(0) else { return false }
      add(.add(pairs[0].value), type, at: path)
      return true
    case .definition(let index):
      guard case .cases(let cases) = schema.definitions[index].content, pairs.count == 1,
        let element = cases.first(where: { .unsigned($0.key) == pairs[0].key })
      else { return false }
      let path = path.appending(name: element.name)
      let payload = element.payload
      if payload.count == 1 { return read(pairs[0].value, payload[0].type, at: path) }
      let labels = SchemaPlace.labels(of: payload)
      return read(pairs[0].value, at: path) { index in
        guard index < UInt64(payload.count) else { return nil }
        return (path.appending(name: labels[Int(index)]), payload[Int(index)].type)
      }
    case .named(let name, let parts):
      switch NamedLayout(name, parts.count) {
      case .optional: return read(change, at: path) { $0 == 0 ? (path.unwrapping, parts[0]) : nil }
      case .result:
        return read(change, at: path) { key in
          key < 2 ? (path.appending(name: key == 0 ? "success" : "failure"), parts[Int(key)]) : nil
        }
      case .array, .set, .dictionary: return readCollection(pairs, type, parts, at: path)
      case .identified, .stack: return readElements(pairs, type, at: path)
      case .range, .button, .alert, .dialog, .change: return false
      case nil: return readNewValue(change, type, at: path)
      }
    }
  }

  private mutating func add(_ verb: ChangeEdit.Verb, _ type: SchemaType, at path: EditPath) {
    guard room >= 0 else { return }
    let text = path.text
    room -= text.utf8.count
    edits.append(ChangeEdit(text, type, verb))
  }

  private mutating func readNewValue(_ change: CBORValue, _ type: SchemaType, at path: EditPath) -> Bool {
    guard case .named(let name, let parts) = type, NamedLayout(name, parts.count) == .dictionary else {
      add(.set(change), type, at: path)
      return true
    }
    guard case .array(let items) = change, items.count == 1 else { return false }
    add(.set(items[0]), type, at: path)
    return true
  }

  /// `{key: change ...}`, at least one.
  private mutating func read(
    _ change: CBORValue, at path: EditPath, _ part: (UInt64) -> (EditPath, SchemaType)?
  ) -> Bool {
    guard case .map(let pairs) = change, !pairs.isEmpty else { return false }
    for pair in pairs {
      guard case .unsigned(let key) = pair.key, let (path, type) = part(key), read(pair.value, type, at: path) else {
        return false
      }
    }
    return true
  }

  private mutating func readCollection(
    _ kinds: [CBORValue.Pair], _ type: SchemaType, _ parts: [SchemaType], at path: EditPath
  ) -> Bool {
    guard !kinds.isEmpty, case .named(let name, _) = type else { return false }
    for kind in kinds {
      switch (NamedLayout(name, parts.count), kind.key, kind.value) {
      case (.array, .unsigned(2), .array(let elements)) where !elements.isEmpty: add(.append(elements), type, at: path)
      case (.set, .unsigned(0), .array(let items)) where !items.isEmpty,
        (.dictionary, .unsigned(0), .array(let items)) where !items.isEmpty:
        add(.remove(items), type, at: path)
      case (.set, .unsigned(1), .array(let members)) where !members.isEmpty:
        add(.insertMembers(members), type, at: path)
      case (.dictionary, .unsigned(1), .map(let pairs)) where !pairs.isEmpty: add(.insertPairs(pairs), type, at: path)
      case (.dictionary, .unsigned(2), .map(let pairs)) where !pairs.isEmpty:
        for pair in pairs {
          let key = schema.text(ofID: pair.key.encoded(), parts[0], isInStack: false)
          guard read(pair.value, parts[1], at: path.appending(key)) else { return false }
        }
      default: return false
      }
    }
    return true
  }

  // MARK: Elements with ids

  private mutating func readElements(_ kinds: [CBORValue.Pair], _ type: SchemaType, at path: EditPath) -> Bool {
    guard !kinds.isEmpty else { return false }
    let element = ElementType(type, in: schema)
    for kind in kinds {
      guard case .array(let items) = kind.value, !items.isEmpty else { return false }
      if kind.key == .unsigned(0) {
        add(.remove(items), type, at: path)
        continue
      }
      guard items.count.isMultiple(of: 2) else { return false }
      var previous: UInt64?
      for index in stride(from: 0, to: items.count, by: 2) {
        let (head, item) = (items[index], items[index + 1])
        switch kind.key {
        case .unsigned(1), .unsigned(2):
          guard let place = Self.place(head, after: &previous) else { return false }
          add(kind.key == .unsigned(1) ? .move(item, place) : .insert(item, place), type, at: path)
        case .unsigned(3):
          let id = schema.text(ofID: head.encoded(), element.idType, isInStack: element.isInStack)
          guard read(item, element.element, at: path.appending(id)) else { return false }
        default: return false
        }
      }
    }
    return true
  }

  private static func place(_ value: CBORValue, after previous: inout UInt64?) -> ChangeEdit.Place? {
    guard case .array(let items) = value, items.count == 2, case .unsigned(let offset) = items[0] else { return nil }
    var place: ChangeEdit.Place
    switch items[1] {
    case .unsigned(0): place = ChangeEdit.Place(.start)
    case .unsigned(1): place = ChangeEdit.Place(.end)
    case .array(let id) where id.count == 1: place = ChangeEdit.Place(.after(id[0]))
    default: return nil
    }
    if place.defaultOffset(after: previous) != offset { place.offset = offset }
    previous = offset
    return place
  }
}
