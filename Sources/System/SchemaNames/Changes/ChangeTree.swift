internal import Wire

/// A change that is being made of edits.
struct ChangeTree {
  private let schema: Schema
  private let type: SchemaType
  /// The whole change, if it is a new value or a difference.
  private var whole: CBORValue?
  private var parts: [(key: PartKey, tree: ChangeTree)] = []
  private var indices: [PartKey: Int] = [:]
  /// What is removed, moved, inserted or appended, by the kind's key in the change.
  private var kinds: [UInt64: [CBORValue]] = [:]
  /// The last offset under the keys of moved and inserted elements.
  private var offsets: [UInt64: UInt64] = [:]

  /// A part of a value: the key of a field or case, of a value of a case with several, an id, or a key of a dictionary.
  private enum PartKey: Hashable {
    case field(UInt64)
    case caseValue(UInt64, UInt64)
    case item([UInt8])
  }

  init(_ schema: Schema, _ type: SchemaType) { (self.schema, self.type) = (schema, type) }

  /// Adds an edit to the change.
  ///
  /// - Parameter steps: The steps from here to the edited part.
  mutating func add(_ verb: ChangeEdit.Verb, at steps: ArraySlice<PartPath.Step>) throws(SchemaValueError) {
    guard whole == nil else { throw twice }
    if !steps.isEmpty {
      let (key, type, rest) = try part(at: steps)
      if case .caseValue(let found, _) = key { try checkCase(found) }
      if case .field(let found) = key, isEnum { try checkCase(found) }
      let index = indices[key, default: parts.endIndex]
      if index == parts.endIndex {
        parts.append((key, ChangeTree(schema, type)))
        indices[key] = index
      }
      return try parts[index].tree.add(verb, at: rest)
    }
    switch verb {
    case .set(let value):
      guard parts.isEmpty, kinds.isEmpty else { throw twice }
      whole = try replacement(value)
    case .add(let amount):
      guard parts.isEmpty, kinds.isEmpty else { throw twice }
      whole = .map([CBORValue.Pair(key: .unsigned(0), value: amount)])
    case .append(let elements): kinds[2, default: []] += elements
    case .remove(let items): kinds[0, default: []] += items
    case .insertMembers(let members): kinds[1, default: []] += members
    case .insertPairs(let pairs): kinds[1, default: []] += pairs.flatMap { [$0.key, $0.value] }
    case .move(let id, let place): try add(id, at: place, to: 1)
    case .insert(let element, let place): try add(element, at: place, to: 2)
    }
  }

  private var twice: SchemaValueError { SchemaValueError("", "this part is edited twice") }

  private var layout: NamedLayout? {
    if case .named(let name, let parts) = type { NamedLayout(name, parts.count) } else { nil }
  }

  private var isEnum: Bool {
    if case .definition(let index) = type, case .cases = schema.definitions[index].content { true } else { false }
  }

  /// Refuses a second case of an enum.
  private func checkCase(_ key: UInt64) throws(SchemaValueError) {
    for part in parts {
      switch part.key {
      case .field(let other) where other != key, .caseValue(let other, _) where other != key:
        throw SchemaValueError("", "an enum is in one case only")
      default: break
      }
    }
  }

  private mutating func add(
    _ item: CBORValue, at place: ChangeEdit.Place, to kind: UInt64
  ) throws(SchemaValueError) {
    let offset = place.offset ?? place.defaultOffset(after: offsets[kind])
    if let previous = offsets[kind], offset <= previous {
      throw SchemaValueError("", "the offset \(offset) is not above the one before it, \(previous)")
    }
    offsets[kind] = offset
    let anchor: CBORValue =
      switch place.anchor {
      case .start: .unsigned(0)
      case .end: .unsigned(1)
      case .after(let id): .array([id])
      }
    kinds[kind, default: []] += [.array([.unsigned(offset), anchor]), item]
  }

  /// A new value as a change.
  private func replacement(_ value: CBORValue) throws(SchemaValueError) -> CBORValue {
    let bytes = value.encoded()
    var decoder = unsafe CBORDecoder(bytes.span.bytes)
    var encoder = CBOREncoder()
    do throws(WireError) {
      try SchemaValues(schema).writeReplacement(by: &decoder, of: type, to: &encoder)
      return try unsafe CBORValue(decoding: encoder.bytes.span.bytes)
    } catch {
      throw SchemaValueError("", "\(error.problem)")
    }
  }

  /// The first part on a path, its type, and the rest of the path.
  private func part(
    at steps: ArraySlice<PartPath.Step>
  ) throws(SchemaValueError) -> (PartKey, SchemaType, ArraySlice<PartPath.Step>) {
    let rest = steps.dropFirst()
    switch (type, steps.first) {
    case (.definition(let index), .part(.key(let key))):
      switch schema.definitions[index].content {
      case .fields(let fields):
        if let field = fields.first(where: { $0.key == key }) { return (.field(key), field.type, rest) }
      case .cases(let cases):
        guard let payload = cases.first(where: { $0.key == key })?.payload else { break }
        if payload.count == 1 { return (.field(key), payload[0].type, rest) }
        if case .part(.key(let index)) = rest.first, index < UInt64(payload.count) {
          return (.caseValue(key, index), payload[Int(index)].type, rest.dropFirst())
        }
      }
    case (.named(_, let parts), let step?):
      switch (layout, step) {
      case (.optional, .part(.key(0))): return (.field(0), parts[0], rest)
      case (.result, .part(.key(let key))) where key < 2: return (.field(key), parts[Int(key)], rest)
      case (.dictionary, .key(let bytes)): return (.item(bytes), parts[1], rest)
      case (.identified, .part(.id(let id))), (.stack, .part(.id(let id))):
        return (.item(id), ElementType(type, in: schema).element, rest)
      default: break
      }
    default: break
    }
    throw SchemaValueError("", "a \(schema.name(of: type)) can only be set as a whole")
  }

  /// The change.
  func value() throws(SchemaValueError) -> CBORValue {
    if let whole { return whole }
    var changes: [(key: PartKey, value: CBORValue)] = []
    for part in parts { changes.append((part.key, try part.tree.value())) }
    var pairs: [CBORValue.Pair] = []
    for (kind, items) in kinds {
      pairs.append(CBORValue.Pair(key: .unsigned(kind), value: try collection(kind, items)))
    }
    if !changes.isEmpty {
      switch layout {
      case .dictionary: pairs.append(CBORValue.Pair(key: .unsigned(2), value: .map(changes.map { Self.pair($0) })))
      case .identified, .stack:
        let items = changes.map { Self.pair($0) }.flatMap { [$0.key, $0.value] }
        pairs.append(CBORValue.Pair(key: .unsigned(3), value: .array(items)))
      default: pairs += merged(changes)
      }
    }
    return .map(pairs.sorted { $0.key.encoded().lexicographicallyPrecedes($1.key.encoded()) })
  }

  private static func pair(_ change: (key: PartKey, value: CBORValue)) -> CBORValue.Pair {
    let key: CBORValue =
      switch change.key {
      case .field(let key), .caseValue(_, let key): .unsigned(key)
      // Its bytes were checked when the path was read.
      case .item(let bytes): (try? unsafe CBORValue(decoding: bytes.span.bytes)) ?? .null
      }
    return CBORValue.Pair(key: key, value: change.value)
  }

  /// The changes of fields, or those of the values of one case in one map.
  private func merged(_ changes: [(key: PartKey, value: CBORValue)]) -> [CBORValue.Pair] {
    guard case .caseValue(let key, _)? = changes.first?.key else { return changes.map { Self.pair($0) } }
    return [CBORValue.Pair(key: .unsigned(key), value: .map(changes.map { Self.pair($0) }))]
  }

  private func collection(_ kind: UInt64, _ items: [CBORValue]) throws(SchemaValueError) -> CBORValue {
    switch (layout, kind) {
    case (.dictionary, 1):
      let pairs = stride(from: 0, to: items.count, by: 2).map {
        CBORValue.Pair(key: items[$0], value: items[$0 + 1])
      }
      try requireDistinct(pairs.map(\.key))
      return .map(pairs)
    case (.dictionary, _), (.set, _): return .array(try requireDistinct(items))
    default: return .array(items)
    }
  }

  /// The items in the order of their bytes.
  @discardableResult
  private func requireDistinct(_ items: [CBORValue]) throws(SchemaValueError) -> [CBORValue] {
    let sorted = items.map { (bytes: $0.encoded(), value: $0) }.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    for (one, next) in zip(sorted, sorted.dropFirst()) where one.bytes == next.bytes {
      throw SchemaValueError("", "a key or a member stands there twice")
    }
    return sorted.map(\.value)
  }
}
