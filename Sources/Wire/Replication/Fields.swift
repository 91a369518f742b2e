/// Which of up to 64 fields of a struct differ, by their ordinal in the order of their keys.
public struct ChangedFields: Sendable {
  private var bits: UInt64 = 0

  /// Creates an empty set.
  public init() {}

  /// Adds the field with this ordinal if `changed`.
  /// - Precondition: `ordinal` is from 0 to 63.
  public mutating func note(_ ordinal: Int, _ changed: Bool) {
    precondition(0..<64 ~= ordinal, "a struct has at most 64 fields that travel")
    if changed { bits |= 1 << UInt64(ordinal) }
  }

  /// Whether the field with this ordinal differs.
  public func contains(_ ordinal: Int) -> Bool {
    bits >> UInt64(ordinal) & 1 == 1
  }

  /// How many fields differ.
  public var count: Int { bits.nonzeroBitCount }
}

/// Where a reader stands between the fields of a struct.
public struct FieldCursor: Sendable {
  fileprivate var remaining: Int
  fileprivate var previous: UInt64?
}

extension CBORDecoder {
  /// Begins a struct: a map with ascending integer keys.
  @_lifetime(self: copy self)
  public mutating func fields() throws(WireError) -> FieldCursor {
    FieldCursor(remaining: try mapHeader(), previous: nil)
  }

  /// The key of the next field, whose value comes next and must be read or skipped, or nil after the last one.
  @_lifetime(self: copy self)
  public mutating func nextKey(of fields: inout FieldCursor) throws(WireError) -> UInt64? {
    guard fields.remaining > 0 else { return nil }
    fields.remaining -= 1
    let start = offset
    let key = try unsigned()
    if let previous = fields.previous, key <= previous { throw WireError(.keysOutOfOrder, at: start) }
    fields.previous = key
    return key
  }

  /// Reads the head of an enum case: its key, and how many payload items follow.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func caseKey() throws(WireError) -> (key: UInt64, payloadCount: Int) {
    let initial = try peek()
    guard initial >= 24 else {
      position += 1
      return (UInt64(initial), 0)
    }
    // 0x82 is an array of two: a key and one payload item.
    guard initial == 0x82 else { return try longCaseKey() }
    position += 1
    return (try unsigned(), 1)
  }

  @usableFromInline
  @_lifetime(self: copy self)
  mutating func longCaseKey() throws(WireError) -> (key: UInt64, payloadCount: Int) {
    guard try nextType() == .array else { return (try unsigned(), 0) }
    let start = offset
    let count = try arrayHeader()
    // One way to write each case: a lone key in an array is the longer way to write the bare key.
    guard count >= 2 else { throw WireError(.notShortest, at: start) }
    return (try unsigned(), count - 1)
  }

  /// Begins an array that must have `count` items.
  @_lifetime(self: copy self)
  public mutating func tuple(_ count: Int) throws(WireError) {
    let start = offset
    guard try arrayHeader() == count else {
      throw WireError(.typeMismatch(expected: "an array of \(count) items"), at: start)
    }
  }
}

extension CBOREncoder {
  /// Writes an enum case without a payload.
  public mutating func enumCase(_ key: UInt64) {
    unsigned(key)
  }

  /// Writes the head of an enum case; the caller writes `payloadCount` items next.
  public mutating func enumCase(_ key: UInt64, payloadCount: Int) {
    arrayHeader(count: payloadCount + 1)
    unsigned(key)
  }
}
