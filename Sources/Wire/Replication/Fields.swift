/// The set of fields of a struct, or of a case's associated values, that differ: up to 64, by their ordinals in the
/// order of their keys.
public struct ChangedFields: Sendable {
  @usableFromInline var bits: UInt64 = 0

  /// Creates an empty set.
  @inlinable
  public init() {}

  /// Adds the field with this ordinal if `changed`.
  /// - Precondition: `ordinal` is between 0 and 63.
  @inlinable
  public mutating func note(_ ordinal: Int, _ changed: Bool) {
    precondition(0..<64 ~= ordinal, "a struct or a case has at most 64 replicated fields")
    if changed { bits |= 1 << UInt64(ordinal) }
  }

  /// Returns true if the field with this ordinal differs.
  @inlinable
  public func contains(_ ordinal: Int) -> Bool {
    bits >> UInt64(ordinal) & 1 == 1
  }

  /// The number of fields that differ.
  @inlinable public var count: Int { bits.nonzeroBitCount }
}

/// A reader's position between the fields of a struct.
public struct FieldCursor: Sendable {
  @usableFromInline var remaining: Int
  /// The smallest key that may follow; nil after the largest possible key.
  @usableFromInline var least: UInt64? = 0

  @inlinable init(remaining: Int) { self.remaining = remaining }
}

extension CBORDecoder {
  /// Begins a struct: a map with ascending integer keys.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func fields() throws(WireError) -> FieldCursor {
    FieldCursor(remaining: try mapHeader())
  }

  /// The key of the next field, or nil after the last one. The field's value must then be read or skipped.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func nextKey(of fields: inout FieldCursor) throws(WireError) -> UInt64? {
    guard fields.remaining > 0 else { return nil }
    fields.remaining -= 1
    let start = position
    let key = try unsigned()
    guard let least = fields.least, key >= least else { throw misplaced(key, after: fields, at: start) }
    fields.least = key < .max ? key + 1 : nil
    return key
  }

  @usableFromInline
  @inline(never)
  func misplaced(_ key: UInt64, after fields: FieldCursor, at offset: Int) -> WireError {
    let last = fields.least.map { $0 - 1 } ?? .max
    return WireError(key == last ? .repeatedKey : .keysOutOfOrder, at: offset)
  }

  /// Reads the head of an enum case: its key, and the number of payload items that follow.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func caseKey() throws(WireError) -> (key: UInt64, payloadCount: Int) {
    if let key = smallArgument(of: .unsigned) { return (key, 0) }
    // 0x82 to 0x97 are arrays of 2 to 23: a key and the items of a payload.
    guard bytes.byteCount - position >= 2 else { return try longCaseKey() }
    let payloadCount = Int(loadByte()) &- 0x81
    let key = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: position &+ 1, as: UInt8.self)
    guard payloadCount > 0, payloadCount < 23, key < 24, payloadCount < bytes.byteCount &- position else {
      return try longCaseKey()
    }
    position &+= 2
    return (UInt64(key), payloadCount)
  }

  @usableFromInline
  @inline(never)
  @_lifetime(self: copy self)
  mutating func longCaseKey() throws(WireError) -> (key: UInt64, payloadCount: Int) {
    guard try nextType() == .array else { return (try unsigned(), 0) }
    let start = offset
    let count = try arrayHeader()
    guard count > 0 else { throw WireError(.typeMismatch(expected: "the key of a case"), at: start) }
    guard count > 1 else { throw WireError(.arrayOfOne, at: start) }
    return (try unsigned(), count - 1)
  }

  /// Begins an array that must have `count` items.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func tuple(_ count: Int) throws(WireError) {
    let start = position
    guard try arrayHeader() == count else { throw notTuple(count, at: start) }
  }

  @usableFromInline
  @inline(never)
  func notTuple(_ count: Int, at offset: Int) -> WireError {
    WireError(.typeMismatch(expected: "an array of \(count) item\(count == 1 ? "" : "s")"), at: offset)
  }
}

extension CBOREncoder {
  /// Writes an enum case without a payload.
  @inlinable
  public mutating func enumCase(_ key: UInt64) {
    unsigned(key)
  }

  /// Writes the head of an enum case; the caller then writes `payloadCount` items.
  @inlinable
  public mutating func enumCase(_ key: UInt64, payloadCount: Int) {
    arrayHeader(count: payloadCount + 1)
    unsigned(key)
  }
}
