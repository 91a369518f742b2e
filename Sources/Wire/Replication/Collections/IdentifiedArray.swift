public import IdentifiedCollections

extension IdentifiedArray: WireValue where Element: WireValue & Identifiable, ID == Element.ID, ID: WireValue {
  /// Writes an array of the elements.
  public func encode(to encoder: inout CBOREncoder) {
    if encoder.isSummary { return encodeSummary(to: &encoder) }
    encoder.array(self)
  }

  /// Reads an array of elements with distinct ids.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.enter()
    defer { decoder.leave() }
    self.init()
    for _ in 0..<(try decoder.arrayHeader()) {
      let start = decoder.offset
      let element = try Element(from: &decoder)
      try decoder.requireReflexive(element.id, at: start)
      guard append(element).inserted else { throw WireError(.repeatedID, at: start) }
    }
  }

  /// An identified array and its elements' type.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("IdentifiedArray", [ID.schema(in: &builder), Element.schema(in: &builder)])
  }
}

extension IdentifiedArray: Replicated where Element: Replicated & Identifiable, ID == Element.ID, ID: WireValue {
  /// True: elements can change individually.
  public static var hasParts: Bool { true }

  /// Returns true if an element or its position differs.
  /// - Complexity: O(the parts that the two versions do not share); O(1) for copies of one array.
  @inlinable
  public func differs(from base: Self) -> Bool {
    if isIdentical(to: base) { return false }
    guard count == base.count else { return true }
    do {
      try visitChanges(from: base, by: { !$1.differs(from: $0) }) { _ in throw Differs() }
      return false
    } catch {
      return true
    }
  }

  /// Writes `{? 0: [removed id ...], ? 1: [offset, moved id ...], ? 2: [offset, inserted element ...], ? 3: [id, delta
  /// ...]}`, or the new array.
  ///
  /// Offsets refer to the result and ascend. If the changes exceed half of the new array's elements, the shorter of the
  /// two forms is written. A change always has the first form, with a place of `[offset, anchor]` for each offset; the
  /// anchor is 0 for the start, 1 for the end, or `[id]` of the element before it in the result.
  /// - Complexity: O(k log n) for k changes between versions that share their nodes.
  @inlinable
  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    if isIdentical(to: base) { return encoder.mapHeader(count: 0) }
    let changes = IdentifiedChanges(from: base, to: self)
    // Each change copies its leaf and the nodes above it.
    encoder.noteUnshared(Swift.min(64 * changes.count, base.count + 64), of: Element.self)
    let start = encoder.count
    changes.encode(in: self, to: &encoder)
    guard !encoder.isMerging, changes.count > count / 2 else { return }
    let second = encoder.count
    encode(to: &encoder)
    encoder.keepShorter(from: start, or: second)
  }

  /// Replaces the array, or removes, moves, inserts and changes elements.
  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    guard try decoder.nextType() == .map else {
      self = try Self(from: &decoder)
      return
    }
    try decoder.enter()
    defer { decoder.leave() }
    if decoder.isMerging { try mergeParts(&decoder) } else { try applyParts(&decoder) }
  }

  private mutating func applyParts(_ decoder: inout CBORDecoder) throws(WireError) {
    var placing = Placing<Element>()
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      let start = decoder.offset
      switch key {
      case 0: try remove(&decoder)
      case 1: try placing.read(&decoder) { (decoder) throws(WireError) in try take(&decoder) }
      case 2:
        try placing.read(&decoder) { (decoder) throws(WireError) in try Self.element(&decoder) }
      case 3:
        try place(&placing, at: start)
        try update(&decoder)
      case let key: throw WireError(.unknownCase(key, type: "change of an identified array"), at: start)
      }
    }
    try place(&placing, at: decoder.offset)
  }

  /// The element for a step that is an id, or a window.
  public func part(at path: ArraySlice<PathStep>) -> (any Replicated)? {
    guard let step = path.first else { return self }
    if case .window = step { return window(at: path) }
    guard case .id(let bytes) = step, let id = try? unsafe ID(decoding: bytes.span.bytes), let element = self[id: id],
      // Equal texts may have different bytes, and deltas name the element by those that it has.
      element.id.encoded() == bytes
    else { return nil }
    return element.part(at: path.dropFirst())
  }

  static func element(_ decoder: inout CBORDecoder) throws(WireError) -> Element {
    let start = decoder.offset
    let element = try Element(from: &decoder)
    try decoder.requireReflexive(element.id, at: start)
    return element
  }

  private mutating func take(_ decoder: inout CBORDecoder) throws(WireError) -> Element {
    let start = decoder.offset
    guard let element = remove(id: try ID(from: &decoder)) else {
      throw WireError(.doesNotFit(type: "identified array"), at: start)
    }
    return element
  }

  private mutating func remove(_ decoder: inout CBORDecoder) throws(WireError) {
    for _ in 0..<(try decoder.arrayHeader()) { _ = try take(&decoder) }
  }

  private mutating func place(_ placing: inout Placing<Element>, at offset: Int) throws(WireError) {
    for (position, element) in placing.ordered {
      guard position <= count, insert(element, at: position).inserted else {
        throw WireError(.doesNotFit(type: "identified array"), at: offset)
      }
    }
    placing = Placing()
  }

  mutating func update(_ decoder: inout CBORDecoder) throws(WireError) {
    var changed: Set<ID> = []
    for _ in 0..<(try decoder.pairsHeader()) {
      let start = decoder.offset
      let id = try ID(from: &decoder)
      // A peer could have the collections in the element copied for each pair.
      if decoder.isMerging, !changed.insert(id).inserted { throw WireError(.repeatedID, at: start) }
      guard var element = self[id: id] else {
        try decoder.passOver("identified array", at: start)
        continue
      }
      try element.apply(delta: &decoder)
      // A delta that changes an element's id would break the array.
      guard element.id == id else {
        throw WireError(decoder.isMerging ? .changedID : .doesNotFit(type: "identified array"), at: start)
      }
      self[id: id] = element
    }
  }
}

@usableFromInline
struct Differs: Error {
  @inlinable init() {}
}
