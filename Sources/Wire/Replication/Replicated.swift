/// State whose changes travel: what differs between two values is written as a delta, and a delta is applied to
/// the value it was taken from.
///
/// For any two values, applying the delta from one to the other gives a value with the other's bytes. The delta of
/// a struct is a map of the keys of its changed fields to their deltas; the delta of anything else is, for now, the
/// new value whole. A struct conforms by hand:
///
/// ```swift
/// extension Point: Replicated {
///   private func changes(from base: Point) -> ChangedFields {
///     var changes = ChangedFields()
///     changes.note(0, x.differs(from: base.x))
///     changes.note(1, y.differs(from: base.y))
///     return changes
///   }
///   func differs(from base: Point) -> Bool { changes(from: base).count > 0 }
///   func encodeDelta(from base: Point, to encoder: inout CBOREncoder) {
///     let changes = changes(from: base)
///     encoder.mapHeader(count: changes.count)
///     if changes.contains(0) { encoder.unsigned(0); x.encodeDelta(from: base.x, to: &encoder) }
///     if changes.contains(1) { encoder.unsigned(1); y.encodeDelta(from: base.y, to: &encoder) }
///   }
///   mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
///     var fields = try decoder.fields()
///     while let key = try decoder.nextKey(of: &fields) {
///       switch key {
///       case 0: try x.apply(delta: &decoder)
///       case 1: try y.apply(delta: &decoder)
///       default: try decoder.skip()
///       }
///     }
///   }
/// }
/// ```
public protocol Replicated: WireValue, Equatable {
  /// Whether the two values have different bytes.
  ///
  /// That is more than `!=`: two strings may be equal and yet written with different characters, zero is equal to
  /// minus zero, and a NaN is not equal to itself. A struct asks its fields.
  func differs(from base: Self) -> Bool

  /// Writes the item that turns `base` into this value.
  /// - Complexity: O(what changed) where comparing is; at most O(size of the value).
  func encodeDelta(from base: Self, to encoder: inout CBOREncoder)

  /// Reads one delta and applies it.
  ///
  /// When it throws, the value may hold part of the change: apply to a copy and keep the copy on success, as
  /// `applying(delta:)` does.
  mutating func apply(delta decoder: inout CBORDecoder) throws(WireError)
}

extension Replicated {
  /// Whether the values are unequal: right for types whose equal values have equal bytes.
  public func differs(from base: Self) -> Bool { self != base }

  /// Writes the whole new value: the delta of everything that is not a struct.
  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    encode(to: &encoder)
  }

  /// Replaces the value by the one in the delta.
  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    self = try Self(from: &decoder)
  }

  /// The value that a delta makes of this one, whole or not at all.
  public func applying(delta decoder: inout CBORDecoder) throws(WireError) -> Self {
    var result = self
    try result.apply(delta: &decoder)
    return result
  }
}
