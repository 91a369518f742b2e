extension Dictionary: WireValue where Key: WireValue, Value: WireValue {
  /// Writes a map with its keys in the order of their bytes.
  /// - Complexity: O(n log n).
  public func encode(to encoder: inout CBOREncoder) {
    var pairs = EncodedKeys<Value>()
    for (key, value) in self { pairs.append(key, value) }
    pairs.sort()
    encoder.mapHeader(count: count)
    pairs.write(to: &encoder) { $0.encode(to: &$1) }
  }

  /// Reads a map with distinct keys in the order of their bytes.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self.init()
    let count = try decoder.mapHeader()
    reserveCapacity(decoder.capacity(for: count, of: Element.self))
    try Self.pairs(count, from: &decoder) { (key, start, decoder) throws(WireError) in
      let value = try Value(from: &decoder)
      guard updateValue(value, forKey: key) == nil else { throw WireError(.repeatedKey, at: start) }
    }
  }

  /// A dictionary and the types of its keys and values.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("Dictionary", [Key.schema(in: &builder), Value.schema(in: &builder)])
  }

  fileprivate static func pairs(
    _ count: Int, from decoder: inout CBORDecoder,
    _ body: (Key, Int, inout CBORDecoder) throws(WireError) -> Void
  ) throws(WireError) {
    try decoder.enter()
    defer { decoder.leave() }
    var previous: Range<Int>?
    for _ in 0..<count {
      let start = decoder.offset
      let key = try Key(from: &decoder)
      try decoder.requireAscending(previous, start..<decoder.offset)
      previous = start..<decoder.offset
      try decoder.requireReflexive(key, at: start)
      try body(key, start, &decoder)
    }
  }
}

extension Dictionary: Replicated where Key: Replicated, Value: Replicated {
  /// True: values can change individually.
  public static var hasParts: Bool { true }

  /// Returns true if a key exists in only one of them, or if the bytes of a key or its value differ.
  /// - Complexity: O(n); O(1) for copies of one dictionary.
  public func differs(from base: Self) -> Bool {
    if Identical.bits(self, base) { return false }
    guard count == base.count else { return true }
    return contains { key, value in base.value(under: key).map { value.differs(from: $0) } ?? true }
  }

  /// Writes `{? 0: [removed key ...], ? 1: {inserted key: value}, ? 2: {key: delta}}`, each in the order of the keys'
  /// bytes.
  ///
  /// If the changes exceed half of the new dictionary's pairs, the delta is the shorter of this form and `[new
  /// dictionary]`, an array of one map; a change always has this form.
  /// - Complexity: O(n), plus O(k log k) for k changes.
  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    encoder.noteUnshared(base.count, of: Element.self)
    var removed = EncodedKeys<Void>()
    var inserted = EncodedKeys<Value>()
    var changed = EncodedKeys<(new: Value, old: Value)>()
    for key in base.keys where value(under: key) == nil { removed.append(key, ()) }
    for (key, value) in self {
      guard let old = base.value(under: key) else {
        inserted.append(key, value)
        continue
      }
      if value.differs(from: old) { changed.append(key, (value, old)) }
    }
    let start = encoder.count
    encoder.mapHeader(count: [removed.count, inserted.count, changed.count].count { $0 > 0 })
    if removed.count > 0 {
      removed.sort()
      encoder.unsigned(0)
      removed.write(to: &encoder)
    }
    if inserted.count > 0 {
      inserted.sort()
      encoder.unsigned(1)
      encoder.mapHeader(count: inserted.count)
      inserted.write(to: &encoder) { $0.encode(to: &$1) }
    }
    if changed.count > 0 {
      changed.sort()
      encoder.unsigned(2)
      encoder.mapHeader(count: changed.count)
      changed.write(to: &encoder) { $0.new.encodeDelta(from: $0.old, to: &$1) }
    }
    guard !encoder.isMerging, removed.count + inserted.count + changed.count > count / 2 else { return }
    let second = encoder.count
    encoder.arrayHeader(count: 1)
    encode(to: &encoder)
    encoder.keepShorter(from: start, or: second)
  }

  /// Replaces the dictionary, or removes, inserts and changes values.
  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    guard try decoder.nextType() == .map else {
      try decoder.tuple(1)
      self = try Self(from: &decoder)
      return
    }
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: try remove(&decoder)
      case 1: try insert(&decoder)
      case 2: try change(&decoder)
      case let key: throw WireError(.unknownCase(key, type: "change of a dictionary"), at: decoder.offset)
      }
    }
  }

  private mutating func remove(_ decoder: inout CBORDecoder) throws(WireError) {
    let (count, isMerging) = (try decoder.arrayHeader(), decoder.isMerging)
    try Self.pairs(count, from: &decoder) { (key, start, _) throws(WireError) in
      guard removeValue(forKey: key) != nil || isMerging else {
        throw WireError(.doesNotFit(type: "dictionary"), at: start)
      }
    }
  }

  private mutating func insert(_ decoder: inout CBORDecoder) throws(WireError) {
    let count = try decoder.mapHeader()
    try Self.pairs(count, from: &decoder) { (key, start, decoder) throws(WireError) in
      var value = try Value(from: &decoder)
      // An equal key may have other bytes.
      if decoder.isMerging, let existing = removeValue(forKey: key) { try value.add(existing, at: start) }
      guard updateValue(value, forKey: key) == nil else {
        throw WireError(.doesNotFit(type: "dictionary"), at: start)
      }
    }
  }

  private mutating func change(_ decoder: inout CBORDecoder) throws(WireError) {
    let count = try decoder.mapHeader()
    try Self.pairs(count, from: &decoder) { (key, start, decoder) throws(WireError) in
      guard let index = index(forKey: key) else { return try decoder.passOver("dictionary", at: start) }
      try values[index].apply(delta: &decoder)
    }
  }

  /// The value for the key with the same bytes.
  private func value(under key: Key) -> Value? {
    guard let index = index(forKey: key), !keys[index].differs(from: key) else { return nil }
    return values[index]
  }
}
