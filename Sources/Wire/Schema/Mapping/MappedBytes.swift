/// Items of an array or a map that were written one behind another and may have to be put in order.
struct WrittenItems {
  private let type: CBORMajorType
  /// Where the head begins and ends, and of how many items it tells.
  private let head: Range<Int>
  private let expected: Int
  private var written = 0
  /// Keys, and where their items end; empty as long as all is in order.
  private var items: [(key: Range<Int>, end: Int)] = []
  private var ascends = true

  /// Writes the head, of as many items as there can be at most.
  init(_ type: CBORMajorType, count: Int, in encoder: inout CBOREncoder) {
    let start = encoder.count
    encoder.head(type, UInt64(count))
    (self.type, head, expected) = (type, start..<encoder.count, count)
  }

  /// Notes an item that is known to be in order.
  mutating func count() { written += 1 }

  /// Notes the item that was written last, and the key at its beginning.
  mutating func append(key: Range<Int>, in encoder: CBOREncoder) {
    if let last = items.last, !encoder.precedes(last.key, key) { ascends = false }
    items.append((key, encoder.count))
    written += 1
  }

  /// Puts the items in the order of their keys, and says in the head how many they are; false if a key comes twice.
  /// - Complexity: O(bytes) and O(n log n) if something is to be done.
  mutating func finish(_ encoder: inout CBOREncoder) -> Bool {
    var differ = true
    if !ascends {
      items.sort { encoder.precedes($0.key, $1.key) }
      differ = zip(items, items.dropFirst()).allSatisfy { encoder.precedes($0.key, $1.key) }
      var ordered: [UInt8] = []
      ordered.reserveCapacity(encoder.count - head.upperBound)
      for item in items { ordered += encoder.buffer[item.key.lowerBound..<item.end] }
      encoder.buffer.replaceSubrange(head.upperBound..., with: ordered)
    }
    if written != expected {
      var shorter = CBOREncoder()
      shorter.head(type, UInt64(written))
      encoder.buffer.replaceSubrange(head, with: shorter.bytes)
    }
    return differ
  }
}

/// The keys of a map of small integers, which ascend.
struct AscendingKeys {
  private var previous: UInt64?

  /// Reads the next key.
  mutating func next(_ decoder: inout CBORDecoder) throws(WireError) -> UInt64 {
    let start = decoder.offset
    let key = try decoder.unsigned()
    if let previous, key <= previous { throw WireError(.keysOutOfOrder, at: start) }
    previous = key
    return key
  }
}

extension CBOREncoder {
  fileprivate func precedes(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
    buffer[first].lexicographicallyPrecedes(buffer[second])
  }

  /// Removes the bytes behind the first `count`.
  package mutating func cut(to count: Int) { buffer.removeLast(buffer.count - count) }

  /// Removes the first `count` bytes.
  /// - Complexity: O(bytes that remain).
  package mutating func dropFirst(_ count: Int) { buffer.removeFirst(count) }
}

extension CBORDecoder {
  /// Begins something that may be inside of others `limit` deep; `leave()` ends it.
  @_lifetime(self: copy self)
  mutating func enter(limit: Int) throws(WireError) {
    guard depth < limit else { throw WireError(.tooDeep(limit: limit), at: offset) }
    depth += 1
  }

  /// Moves past an item as `skip()` does, of which the parts are within `limit`, with what it stands in.
  @_lifetime(self: copy self)
  mutating func pass(limit: Int) throws(WireError) { try skip(depth: limit - depth, limit: limit) }

  /// Copies an item as it is.
  @_lifetime(self: copy self)
  mutating func copyItem(to encoder: inout CBOREncoder, limit: Int) throws(WireError) {
    let start = offset
    try pass(limit: limit)
    encoder.append(bytes.extracting(start..<offset))
  }
}
