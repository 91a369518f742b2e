extension Array: WireValue where Element: WireValue {
  /// Writes an array of the elements.
  @inlinable
  public func encode(to encoder: inout CBOREncoder) {
    encoder.array(self)
  }

  /// Reads an array.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.enter()
    defer { decoder.leave() }
    let count = try decoder.arrayHeader()
    self = []
    reserveCapacity(decoder.capacity(for: count, of: Element.self))
    for _ in 0..<count { append(try Element(from: &decoder)) }
  }

  /// An array and its elements' type.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("Array", [Element.schema(in: &builder)])
  }
}

extension Array: Replicated where Element: Replicated {
  /// True: elements can change individually.
  public static var hasParts: Bool { true }

  /// Returns true if the counts or any elements differ.
  /// - Complexity: O(n); O(1) for copies of one array.
  public func differs(from base: Self) -> Bool {
    if Identical.bits(self, base) { return false }
    guard count == base.count else { return true }
    return indices.contains { self[$0].differs(from: base[$0]) }
  }

  /// Writes `{? 0: [offset, removed, inserted element ...], ? 1: {offset in the result: delta}}`, or the new array.
  ///
  /// Equal elements at the beginning and the end are kept. Of the elements between, as many as both arrays have are
  /// changed one by one: either the first or the last of them, whichever leaves more unchanged. The others are removed
  /// or inserted. If more than half of them change, the delta is the shorter of this form and a replacement of all
  /// elements between. If more than half of the new array is written, the delta is the shorter of that and the new
  /// array.
  ///
  /// A change is `{2: [appended element ...]}` if that is the only difference, and otherwise the new array.
  /// - Complexity: O(n).
  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    if Identical.bits(self, base) { return encoder.mapHeader(count: 0) }
    if encoder.isMerging { return encodeAddition(to: base, to: &encoder) }
    encoder.noteUnshared(base.count, of: Element.self)
    let splice = Splice(from: base, to: self)
    let start = encoder.count
    splice.encode(pairing: true, from: base, to: self, to: &encoder)
    if splice.changes > splice.length / 2 {
      let second = encoder.count
      splice.encode(pairing: false, from: base, to: self, to: &encoder)
      encoder.keepShorter(from: start, or: second)
    }
    if Swift.min(splice.changes, splice.new.count) > count / 2 {
      let second = encoder.count
      encode(to: &encoder)
      encoder.keepShorter(from: start, or: second)
    }
  }

  /// Replaces the array or parts of it.
  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    guard try decoder.nextType() == .map else {
      self = try Self(from: &decoder)
      return
    }
    try decoder.enter()
    defer { decoder.leave() }
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0 where !decoder.isMerging: try splice(&decoder)
      case 1 where !decoder.isMerging: try update(&decoder)
      case 2 where decoder.isMerging: for _ in 0..<(try decoder.arrayHeader()) { append(try Element(from: &decoder)) }
      case let key: throw WireError(.unknownCase(key, type: "change of an array"), at: decoder.offset)
      }
    }
  }

  /// The array, or a window of it.
  public func part(at path: ArraySlice<PathStep>) -> (any Replicated)? { path.isEmpty ? self : window(at: path) }

  /// Writes the elements that follow those of the base, or the array if it does not begin with these.
  private func encodeAddition(to base: Self, to encoder: inout CBOREncoder) {
    guard count >= base.count, base.indices.allSatisfy({ !self[$0].differs(from: base[$0]) }) else {
      return encode(to: &encoder)
    }
    if count == base.count { return encoder.mapHeader(count: 0) }
    encoder.change(of: 2)
    encoder.arrayHeader(count: count - base.count)
    for element in self[base.count...] { element.encode(to: &encoder) }
  }

  private mutating func splice(_ decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let items = try decoder.arrayHeader()
    guard items >= 2 else { throw WireError(.typeMismatch(expected: "an offset and a count"), at: start) }
    let (offset, removed) = (try decoder.unsigned(), try decoder.unsigned())
    guard let offset = Int(exactly: offset), let removed = Int(exactly: removed), offset <= count,
      removed <= count - offset
    else { throw WireError(.doesNotFit(type: "array"), at: start) }
    var inserted: Self = []
    inserted.reserveCapacity(decoder.capacity(for: items - 2, of: Element.self))
    for _ in 2..<items { inserted.append(try Element(from: &decoder)) }
    replaceSubrange(offset..<offset + removed, with: inserted)
  }

  private mutating func update(_ decoder: inout CBORDecoder) throws(WireError) {
    var offsets = try decoder.fields()
    while let offset = try decoder.nextKey(of: &offsets) {
      guard offset < UInt64(count) else { throw WireError(.doesNotFit(type: "array"), at: decoder.offset) }
      try self[Int(offset)].apply(delta: &decoder)
    }
  }
}
