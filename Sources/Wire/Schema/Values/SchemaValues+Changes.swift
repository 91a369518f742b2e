extension SchemaValues {
  /// Reads a change of a value of a type, and returns the changed value.
  ///
  /// - Throws: The problem with the bytes, or `doesNotFit` for a change that was not taken from this value.
  /// - Precondition: `type` is one of the schema's.
  /// - Complexity: O(bytes of the change + elements of each array, set and dictionary that it changes, and of the enclosing
  ///   ones); in identified arrays and stacks O(log n) for each changed element.
  public func applying(
    _ decoder: inout CBORDecoder, to value: CBORValue, of type: SchemaType
  ) throws(WireError) -> CBORValue {
    try decoder.enter(limit: CBORDecoder.nestingLimit)
    defer { decoder.leave() }
    // A new value counts where it is read.
    let isChange = try decoder.nextType() == .map
    let isCounted = isChange && rules?.countsForDepth(type) ?? false
    if isCounted { try decoder.enterValue() }
    defer { if isCounted { decoder.leaveValue() } }
    switch type {
    case .definition(let index):
      let definition = schema.definitions[index]
      switch definition.content {
      case .fields(let fields): return try changed(value, fields, definition.name, &decoder)
      case .cases(let cases):
        guard isChange else { return try self.value(of: type, from: &decoder) }
        return try changed(value, cases, definition.name, &decoder)
      }
    case .named(let name, let parts):
      switch NamedLayout(name, parts.count) {
      case .dictionary where !isChange:
        // A new dictionary is wrapped, to distinguish it from a change.
        try decoder.tuple(1)
        return try self.value(of: type, from: &decoder)
      case .optional where isChange: return try changed(value, oneOf: [parts[0]], name, &decoder)
      case .result where isChange: return try changed(value, oneOf: parts, name, &decoder)
      case .array where isChange: return try changedArray(value, parts[0], &decoder)
      case .set where isChange: return try changedSet(value, parts[0], &decoder)
      case .dictionary: return try changedDictionary(value, parts[0], parts[1], &decoder)
      case .identified where isChange, .stack where isChange:
        return try changedElements(value, ElementType(type, in: schema), &decoder)
      default: return try self.value(of: type, from: &decoder)
      }
    }
  }

  // MARK: Structs and enums

  private func changed(
    _ value: CBORValue, _ fields: [Schema.Field], _ name: String, _ decoder: inout CBORDecoder
  ) throws(WireError) -> CBORValue {
    guard case .map(var pairs) = value else { throw WireError(.doesNotFit(type: name), at: decoder.offset) }
    var cursor = try decoder.fields()
    while let key = try decoder.nextKey(of: &cursor) {
      guard let field = fields.first(where: { $0.key == key }) else {
        try decoder.skip()
        continue
      }
      if let index = pairs.firstIndex(where: { $0.key == .unsigned(key) }) {
        pairs[index].value = try applying(&decoder, to: pairs[index].value, of: field.type)
      } else {
        let value = try newValue(of: field.type, &decoder)
        let index = pairs.firstIndex { if case .unsigned(let other) = $0.key { other > key } else { false } }
        pairs.insert(CBORValue.Pair(key: .unsigned(key), value: value), at: index ?? pairs.endIndex)
      }
    }
    return .map(pairs)
  }

  /// Reads the change of a field that was added to the schema after the struct's value was written. It must contain the
  /// whole value.
  private func newValue(of type: SchemaType, _ decoder: inout CBORDecoder) throws(WireError) -> CBORValue {
    guard case .definition(let index) = type, case .fields(let fields) = schema.definitions[index].content else {
      return try applying(&decoder, to: .null, of: type)
    }
    let start = decoder.offset
    let value = try applying(&decoder, to: .map([]), of: type)
    guard case .map(let pairs) = value, pairs.count == fields.count else {
      throw WireError(.doesNotFit(type: schema.definitions[index].name), at: start)
    }
    return value
  }

  private func changed(
    _ value: CBORValue, _ cases: [Schema.Case], _ name: String, _ decoder: inout CBORDecoder
  ) throws(WireError) -> CBORValue {
    let start = decoder.offset
    guard let key = try decoder.change(), case .array(var items) = value, items.first == .unsigned(key),
      let element = cases.first(where: { $0.key == key }), items.count == 1 + element.payload.count
    else { throw WireError(.doesNotFit(type: name), at: start) }
    if element.payload.count == 1 {
      items[1] = try applying(&decoder, to: items[1], of: element.payload[0].type)
      return .array(items)
    }
    var cursor = try decoder.fields()
    while let index = try decoder.nextKey(of: &cursor) {
      guard index < UInt64(element.payload.count) else { throw WireError(.doesNotFit(type: name), at: start) }
      let index = Int(index)
      items[1 + index] = try applying(&decoder, to: items[1 + index], of: element.payload[index].type)
    }
    return .array(items)
  }

  /// `{part: change}` of an optional, whose only part has no key in its value, or of a result.
  private func changed(
    _ value: CBORValue, oneOf parts: [SchemaType], _ name: String, _ decoder: inout CBORDecoder
  ) throws(WireError) -> CBORValue {
    let start = decoder.offset
    guard let key = try decoder.change(), key < UInt64(parts.count), case .array(var items) = value,
      items.count == parts.count, parts.count == 1 || items[0] == .unsigned(key)
    else { throw WireError(.doesNotFit(type: name), at: start) }
    let last = items.count - 1
    items[last] = try applying(&decoder, to: items[last], of: parts[Int(key)])
    return .array(items)
  }

  // MARK: Collections

  private func changedArray(
    _ value: CBORValue, _ type: SchemaType, _ decoder: inout CBORDecoder
  ) throws(WireError) -> CBORValue {
    guard case .array(var items) = value else { throw WireError(.doesNotFit(type: "array"), at: decoder.offset) }
    var kinds = try decoder.fields()
    while let kind = try decoder.nextKey(of: &kinds) {
      switch kind {
      case 0:
        let start = decoder.offset
        let count = try decoder.arrayHeader()
        guard count >= 2 else { throw WireError(.typeMismatch(expected: "an offset and a count"), at: start) }
        guard let offset = Int(exactly: try decoder.unsigned()), let removed = Int(exactly: try decoder.unsigned()),
          offset <= items.count, removed <= items.count - offset
        else { throw WireError(.doesNotFit(type: "array"), at: start) }
        var inserted: [CBORValue] = []
        for _ in 2..<count { inserted.append(try self.value(of: type, from: &decoder)) }
        items.replaceSubrange(offset..<offset + removed, with: inserted)
      case 1:
        var offsets = try decoder.fields()
        while let offset = try decoder.nextKey(of: &offsets) {
          guard offset < UInt64(items.count) else { throw WireError(.doesNotFit(type: "array"), at: decoder.offset) }
          items[Int(offset)] = try applying(&decoder, to: items[Int(offset)], of: type)
        }
      default: throw WireError(.unknownCase(kind, type: "change of an array"), at: decoder.offset)
      }
    }
    return .array(items)
  }

  private func changedSet(
    _ value: CBORValue, _ type: SchemaType, _ decoder: inout CBORDecoder
  ) throws(WireError) -> CBORValue {
    guard case .array(let items) = value else { throw WireError(.doesNotFit(type: "set"), at: decoder.offset) }
    var set = EncodedPairs(items.map { CBORValue.Pair(key: $0, value: .null) })
    var kinds = try decoder.fields()
    while let kind = try decoder.nextKey(of: &kinds) {
      let start = decoder.offset
      guard kind <= 1 else { throw WireError(.unknownCase(kind, type: "change of a set"), at: start) }
      for (bytes, member) in try members(of: type, &decoder) {
        let fits = kind == 0 ? set.remove(bytes) : set.insert(bytes, CBORValue.Pair(key: member, value: .null))
        guard fits else { throw WireError(.doesNotFit(type: "set"), at: start) }
      }
    }
    return .array(set.sorted.map(\.key))
  }

  private func changedDictionary(
    _ value: CBORValue, _ key: SchemaType, _ type: SchemaType, _ decoder: inout CBORDecoder
  ) throws(WireError) -> CBORValue {
    guard case .map(let items) = value else { throw WireError(.doesNotFit(type: "dictionary"), at: decoder.offset) }
    var dictionary = EncodedPairs(items)
    var kinds = try decoder.fields()
    while let kind = try decoder.nextKey(of: &kinds) {
      let start = decoder.offset
      guard kind <= 2 else { throw WireError(.unknownCase(kind, type: "change of a dictionary"), at: start) }
      let count = kind == 0 ? try decoder.arrayHeader() : try decoder.mapHeader()
      var previous: [UInt8]?
      for _ in 0..<count {
        let (bytes, key) = try member(of: key, after: previous, &decoder)
        previous = bytes
        let fits: Bool
        switch kind {
        case 0: fits = dictionary.remove(bytes)
        case 1:
          let value = try self.value(of: type, from: &decoder)
          fits = dictionary.insert(bytes, CBORValue.Pair(key: key, value: value))
        default:
          guard let old = dictionary[bytes] else { throw WireError(.doesNotFit(type: "dictionary"), at: start) }
          dictionary[bytes] = try applying(&decoder, to: old, of: type)
          fits = true
        }
        guard fits else { throw WireError(.doesNotFit(type: "dictionary"), at: start) }
      }
    }
    return .map(dictionary.sorted)
  }

  private func changedElements(
    _ value: CBORValue, _ type: ElementType, _ decoder: inout CBORDecoder
  ) throws(WireError) -> CBORValue {
    let misfit = WireError(.doesNotFit(type: "identified array"), at: decoder.offset)
    var kinds = try decoder.fields()
    guard var items = type.elements(of: value) else {
      // Elements without known ids have no changes.
      guard try decoder.nextKey(of: &kinds) == nil else { throw misfit }
      return value
    }
    var placing = Placing<CBORValue>()
    while let kind = try decoder.nextKey(of: &kinds) {
      switch kind {
      case 0:
        var ids: [ElementID] = []
        for _ in 0..<(try decoder.arrayHeader()) { ids.append(try id(type, &decoder)) }
        guard items.take(ids) != nil else { throw misfit }
      case 1:
        // The ids are read first, so that an error leaves no gap.
        var ids = Placing<ElementID>()
        try ids.read(&decoder) { (decoder) throws(WireError) in try id(type, &decoder) }
        let ordered = ids.ordered
        guard let taken = items.take(ordered.map(\.element)) else { throw misfit }
        placing.append(zip(ordered, taken).map { ($0.position, $1) })
      case 2:
        try placing.read(&decoder) { (decoder) throws(WireError) in try self.value(of: type, from: &decoder) }
      case 3:
        guard items.place(&placing, type) else { throw misfit }
        try update(&items, type, misfit, &decoder)
      default: throw WireError(.unknownCase(kind, type: "change of an identified array"), at: decoder.offset)
      }
    }
    guard items.place(&placing, type) else { throw misfit }
    return .elements(items)
  }

  private func id(_ type: ElementType, _ decoder: inout CBORDecoder) throws(WireError) -> ElementID {
    ElementID(try value(of: type.idType, from: &decoder))
  }

  private func update(
    _ items: inout CBORElements, _ type: ElementType, _ misfit: WireError, _ decoder: inout CBORDecoder
  ) throws(WireError) {
    for _ in 0..<(try decoder.pairsHeader()) {
      let id = try id(type, &decoder)
      guard let element = items[id: id] else { throw misfit }
      if type.isInStack {
        // The id is outside the changed part.
        guard case .array(var pair) = element, pair.count == 2 else { throw misfit }
        pair[1] = try applying(&decoder, to: pair[1], of: type.element)
        items.update(.array(pair), id: id)
      } else {
        let changed = try applying(&decoder, to: element, of: type.element)
        guard let newID = type.id(of: changed), newID == id else { throw misfit }
        items.update(changed, id: newID)
      }
    }
  }
}

extension CBORElements {
  /// Inserts elements at their positions in the result; returns false if that is impossible.
  fileprivate mutating func place(_ placing: inout Placing<CBORValue>, _ type: ElementType) -> Bool {
    var next = 0
    for (position, element) in placing.ordered {
      guard position >= next, position <= count, let id = type.id(of: element), insert(element, id: id, at: position)
      else { return false }
      next = position + 1
    }
    placing = Placing()
    return true
  }
}

/// Pairs of a dictionary, or members of a set, by the bytes of their keys.
private struct EncodedPairs {
  private var pairs: [[UInt8]: CBORValue.Pair]

  init(_ pairs: [CBORValue.Pair]) {
    self.pairs = Dictionary(pairs.map { ($0.key.encoded(), $0) }) { first, _ in first }
  }

  /// The value of the pair with a key. Only the value of an existing pair can be set.
  subscript(key: [UInt8]) -> CBORValue? {
    get { pairs[key]?.value }
    set { if let newValue { pairs[key]?.value = newValue } }
  }

  mutating func remove(_ key: [UInt8]) -> Bool { pairs.removeValue(forKey: key) != nil }

  mutating func insert(_ key: [UInt8], _ pair: CBORValue.Pair) -> Bool { pairs.updateValue(pair, forKey: key) == nil }

  var sorted: [CBORValue.Pair] {
    pairs.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
  }
}
