// In a delta, a map is always a change inside the value that is there; anything else is the new value. The only values
// that are maps themselves are structs, whose delta is always a change, and dictionaries, which are wrapped.

extension CBOREncoder {
  /// Begins a change of one part, whose delta the caller writes next.
  @inlinable
  public mutating func change(of part: UInt64) {
    mapHeader(count: 1)
    unsigned(part)
  }

  /// Notes that elements of the value that a delta is taken from are not shared with the new one.
  @inlinable
  mutating func noteUnshared<Element>(_ count: Int, of type: Element.Type) {
    unsharedByteCount += count * MemoryLayout<Element>.stride
  }

  /// Of two forms of one item, the first from `first` to `second`, the second from there to the end, keeps the shorter;
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
  /// Begins a change of one part and returns which, if that is what comes next; its delta follows.
  ///
  /// Returns nil and moves nowhere when a new value comes next.
  @_lifetime(self: copy self)
  public mutating func change() throws(WireError) -> UInt64? {
    guard try nextType() == .map else { return nil }
    let start = offset
    guard try mapHeader() == 1 else { throw WireError(.typeMismatch(expected: "a map of one pair"), at: start) }
    return try unsigned()
  }

  /// Reads a value of whatever type is wanted.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func value<Value: WireValue>() throws(WireError) -> Value {
    try Value(from: &self)
  }

  /// Reads a value that may contain others of its type: for generated code of `@Presents` fields.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func nested<Value: WireValue>() throws(WireError) -> Value {
    try enter()
    defer { leave() }
    return try Value(from: &self)
  }

  /// Begins a value of a type that may contain itself; `leave()` ends it.
  ///
  /// - Throws: `tooDeep` when more than `depthLimit` are inside one another, before the stack overflows.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func enter() throws(WireError) {
    guard depth < Self.depthLimit else { throw tooDeep() }
    depth += 1
  }

  @usableFromInline
  @inline(never)
  func tooDeep() -> WireError { WireError(.tooDeep(limit: Self.depthLimit), at: position) }

  /// Ends what `enter()` began.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func leave() {
    depth -= 1
  }

  /// How many elements to make room for when `count` are said to come: no more bytes than are left.
  func capacity<Element>(for count: Int, of type: Element.Type) -> Int {
    min(count, (bytes.byteCount - position) / max(1, MemoryLayout<Element>.stride) + 1)
  }

  /// Refuses what nothing would be found under: a NaN, or what holds one.
  @inline(__always)
  func requireReflexive<Key: Equatable>(_ key: Key, at offset: Int) throws(WireError) {
    guard key == key else {
      throw WireError(.typeMismatch(expected: "a key that is equal to itself"), at: offset)
    }
  }

  /// Refuses a key that does not come after the one before it, in the order of their bytes.
  func requireAscending(_ previous: Range<Int>?, _ key: Range<Int>) throws(WireError) {
    guard let previous else { return }
    let ascends = bytes.withUnsafeBytes { $0[previous].lexicographicallyPrecedes($0[key]) }
    guard ascends else { throw WireError(.keysOutOfOrder, at: key.lowerBound) }
  }
}

/// No value yet of the type that `field` would give: for generated code, which cannot always name it.
@inlinable
public func absent<Root, Value>(_ field: (Root) -> Value) -> Value? { nil }

/// A value as the type that it is known to be: for generated code, which cannot always name it.
public func same<Value, Known>(_ value: Value) -> Known {
  guard let known = value as? Known else { preconditionFailure("\(Value.self) is not \(Known.self)") }
  return known
}
