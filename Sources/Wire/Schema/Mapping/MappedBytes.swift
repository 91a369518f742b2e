/// The items of an array or a map that were written in sequence and may need sorting.
struct WrittenItems {
  private let type: CBORMajorType
  /// The range of the head, and the number of items in it.
  private let head: Range<Int>
  private let expected: Int
  private var written = 0
  /// The keys, and the ends of their items; empty as long as they are in order.
  private var items: [(key: Range<Int>, end: Int)] = []
  private var ascends = true

  /// Writes a head for the maximum number of items.
  init(_ type: CBORMajorType, count: Int, in encoder: inout CBOREncoder) {
    let start = encoder.count
    encoder.head(type, UInt64(count))
    (self.type, head, expected) = (type, start..<encoder.count, count)
  }

  /// Counts an item that is known to be in order.
  mutating func count() { written += 1 }

  /// Records the last written item and the key at its beginning.
  mutating func append(key: Range<Int>, in encoder: CBOREncoder) {
    if let last = items.last, !encoder.precedes(last.key, key) { ascends = false }
    items.append((key, encoder.count))
    written += 1
  }

  /// Sorts the items by their keys and corrects the count in the head; returns false if a key is repeated.
  /// - Complexity: O(bytes) plus O(n log n) if sorting is needed.
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

/// The ascending keys of a map of small integers.
struct AscendingKeys {
  private var previous: UInt64?

  /// Reads the next key.
  mutating func next(_ decoder: inout CBORDecoder) throws(WireError) -> UInt64 {
    let start = decoder.offset
    let key = try decoder.unsigned()
    if let previous, key <= previous { throw WireError(key == previous ? .repeatedKey : .keysOutOfOrder, at: start) }
    previous = key
    return key
  }
}

extension CBOREncoder {
  fileprivate func precedes(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
    buffer[first].lexicographicallyPrecedes(buffer[second])
  }

  /// Removes the bytes after the first `count`.
  package mutating func cut(to count: Int) { buffer.removeLast(buffer.count - count) }

  /// Removes the first `count` bytes.
  /// - Complexity: O(bytes that remain).
  package mutating func dropFirst(_ count: Int) { buffer.removeFirst(count) }
}

extension CBORDecoder {
  /// Begins an item that may be nested `limit` deep; `leave()` ends it.
  @_lifetime(self: copy self)
  mutating func enter(limit: Int) throws(WireError) {
    // The higher bits count values; see `enterValue()`.
    guard depth & 0xffff < limit else { throw WireError(.tooDeep(limit: limit), at: offset) }
    depth += 1
  }

  /// Begins a value that counts for `depthLimit`, where `enter(limit:)` counts items; `leaveValue()` ends it.
  @_lifetime(self: copy self)
  mutating func enterValue() throws(WireError) {
    guard depth >> 16 < Self.depthLimit else { throw tooDeep() }
    depth += 1 << 16
  }

  /// Ends the value that `enterValue()` began.
  @_lifetime(self: copy self)
  mutating func leaveValue() { depth -= 1 << 16 }

  /// Moves past an item as `skip()` does; `limit` also counts the enclosing items.
  @_lifetime(self: copy self)
  mutating func pass(limit: Int) throws(WireError) { try skip(depth: limit - depth, limit: limit) }

  /// Copies an item unchanged.
  @_lifetime(self: copy self)
  mutating func copyItem(to encoder: inout CBOREncoder, limit: Int) throws(WireError) {
    let start = offset
    try pass(limit: limit)
    encoder.append(bytes.extracting(start..<offset))
  }
}
