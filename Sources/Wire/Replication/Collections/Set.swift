extension Set: WireValue where Element: WireValue {
  /// Writes an array of the members in the order of their bytes.
  /// - Complexity: O(n log n).
  public func encode(to encoder: inout CBOREncoder) {
    var members = EncodedKeys<Void>()
    for member in self { members.append(member, ()) }
    members.sort()
    members.write(to: &encoder)
  }

  /// Reads an array of distinct members in the order of their bytes.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.enter()
    defer { decoder.leave() }
    let count = try decoder.arrayHeader()
    self.init(minimumCapacity: decoder.capacity(for: count, of: Element.self))
    try Self.members(count, from: &decoder) { (member, start) throws(WireError) in
      guard insert(member).inserted else { throw WireError(.repeatedKey, at: start) }
    }
  }

  /// A set and its members' type.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("Set", [Element.schema(in: &builder)])
  }

  fileprivate static func members(
    _ count: Int, from decoder: inout CBORDecoder, _ body: (Element, Int) throws(WireError) -> Void
  ) throws(WireError) {
    var previous: Range<Int>?
    for _ in 0..<count {
      let start = decoder.offset
      let member = try Element(from: &decoder)
      try decoder.requireAscending(previous, start..<decoder.offset)
      previous = start..<decoder.offset
      try decoder.requireReflexive(member, at: start)
      try body(member, start)
    }
  }
}

extension Set: Replicated where Element: Replicated {
  /// True: members can be inserted and removed individually.
  public static var hasParts: Bool { true }

  /// Returns true if a member exists in only one of them, or if its bytes differ.
  /// - Complexity: O(n); O(1) for copies of one set.
  public func differs(from base: Self) -> Bool {
    if Identical.bits(self, base) { return false }
    return count != base.count || contains { !base.holds($0) }
  }

  /// Writes `{? 0: [removed member ...], ? 1: [inserted member ...]}`, each in the order of their bytes.
  ///
  /// If the changes exceed half of the new set's members, the delta is the shorter of this form and the new set; a change
  /// always has this form.
  /// - Complexity: O(n), plus O(k log k) for k changes.
  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    encoder.noteUnshared(base.count, of: Element.self)
    var (removed, inserted) = (EncodedKeys<Void>(), EncodedKeys<Void>())
    for member in base where !holds(member) { removed.append(member, ()) }
    for member in self where !base.holds(member) { inserted.append(member, ()) }
    let start = encoder.count
    encoder.mapHeader(count: (removed.count > 0 ? 1 : 0) + (inserted.count > 0 ? 1 : 0))
    if removed.count > 0 {
      removed.sort()
      encoder.unsigned(0)
      removed.write(to: &encoder)
    }
    if inserted.count > 0 {
      inserted.sort()
      encoder.unsigned(1)
      inserted.write(to: &encoder)
    }
    guard !encoder.isMerging, removed.count + inserted.count > count / 2 else { return }
    let second = encoder.count
    encode(to: &encoder)
    encoder.keepShorter(from: start, or: second)
  }

  /// Replaces the set, or removes and inserts members.
  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    guard try decoder.nextType() == .map else {
      self = try Self(from: &decoder)
      return
    }
    try decoder.enter()
    defer { decoder.leave() }
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      let keyOffset = decoder.offset
      guard key <= 1 else { throw WireError(.unknownCase(key, type: "change of a set"), at: keyOffset) }
      let (count, isMerging) = (try decoder.arrayHeader(), decoder.isMerging)
      try Self.members(count, from: &decoder) { (member, start) throws(WireError) in
        // An equal member may have other bytes.
        let fits = key == 0 ? remove(member) != nil : isMerging || insert(member).inserted
        guard fits || isMerging else { throw WireError(.doesNotFit(type: "set"), at: start) }
        if isMerging, key == 1 { update(with: member) }
      }
    }
  }

  /// Returns true if the set has the member with the same bytes.
  private func holds(_ member: Element) -> Bool {
    guard let index = firstIndex(of: member) else { return false }
    return !self[index].differs(from: member)
  }
}
