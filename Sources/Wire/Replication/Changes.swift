// In a delta, a map is always a change inside the existing value, and any other item is the new value. Only structs and
// dictionaries are encoded as maps themselves: a struct's delta is always a change, and a new dictionary is wrapped.

extension CBOREncoder {
  /// Begins a change of one part; the caller then writes its delta.
  @inlinable
  public mutating func change(of part: UInt64) {
    mapHeader(count: 1)
    unsigned(part)
  }

  /// Records that elements of the delta's base are not shared with the new value.
  @inlinable
  mutating func noteUnshared<Element>(_ count: Int, of type: Element.Type) {
    unsharedByteCount += count * MemoryLayout<Element>.stride
  }

  /// Given two encodings of one item, from `first` to `second` and from `second` to the end, keeps the shorter one, or
  /// the first if they are equally long.
  @usableFromInline
  mutating func keepShorter(from first: Int, or second: Int) {
    if count - second < second - first {
      buffer.removeSubrange(first..<second)
    } else {
      buffer.removeLast(count - second)
    }
  }
}

extension CBORDecoder {
  /// Begins a change of one part if one comes next, and returns the part; its delta follows.
  ///
  /// Returns nil and does not move if a new value comes next.
  @_lifetime(self: copy self)
  public mutating func change() throws(WireError) -> UInt64? {
    guard try nextType() == .map else { return nil }
    let start = offset
    guard try mapHeader() == 1 else { throw WireError(.typeMismatch(expected: "a map of one pair"), at: start) }
    return try unsigned()
  }

  /// Reads a value of the inferred type.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func value<Value: WireValue>() throws(WireError) -> Value {
    try Value(from: &self)
  }

  /// Reads a value that may contain others of its type, as a field with a property wrapper such as `@Presents` may.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func nested<Value: WireValue>() throws(WireError) -> Value {
    try enter()
    defer { leave() }
    return try Value(from: &self)
  }

  /// Begins a value of a recursive type; `leave()` ends it.
  ///
  /// - Throws: `tooDeep` if more than `depthLimit` are nested, before the stack overflows.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func enter() throws(WireError) {
    guard depth < Self.depthLimit else { throw tooDeep() }
    depth += 1
  }

  @usableFromInline
  @inline(never)
  func tooDeep() -> WireError { WireError(.tooDeep(limit: Self.depthLimit), at: position) }

  /// Ends the value that `enter()` began.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func leave() {
    depth -= 1
  }

  /// The capacity to reserve for `count` announced elements: at most as many bytes as are left.
  func capacity<Element>(for count: Int, of type: Element.Type) -> Int {
    min(count, (bytes.byteCount - position) / max(1, MemoryLayout<Element>.stride) + 1)
  }

  /// Refuses a key that could not be found again: a NaN, or a value that contains one.
  @inline(__always)
  func requireReflexive<Key: Equatable>(_ key: Key, at offset: Int) throws(WireError) {
    guard key == key else {
      throw WireError(.typeMismatch(expected: "a key that is equal to itself"), at: offset)
    }
  }

  /// Refuses a key that does not follow the previous one in the bytewise lexicographic order of their encodings (RFC
  /// 8949 §4.2.1).
  func requireAscending(_ previous: Range<Int>?, _ key: Range<Int>) throws(WireError) {
    guard let previous else { return }
    let ascends = unsafe bytes.withUnsafeBytes { unsafe $0[previous].lexicographicallyPrecedes($0[key]) }
    guard ascends else {
      let isRepeated = unsafe bytes.withUnsafeBytes { unsafe $0[previous].elementsEqual($0[key]) }
      throw WireError(isRepeated ? .repeatedKey : .keysOutOfOrder, at: key.lowerBound)
    }
  }
}
