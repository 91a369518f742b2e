/// A type of state or actions whose changes can be sent: the difference between two values is written as a delta, which
/// is applied to the value from which it was taken.
///
/// `@Replicated` generates the conformance:
///
/// ```swift
/// @Replicated
/// struct Point {
///   var x = 0
///   var y = 0
/// }
/// ```
///
/// For any two values, applying the delta from one to the other gives a value with the other's bytes. In a delta, a map
/// is a change inside the existing value, and any other item is the new value. The delta of a struct maps the keys of
/// its changed fields to their deltas. That of an optional, or of an enum in the same case, is `{case key: delta of the
/// payload}`. Collections document their deltas at `encodeDelta`. Numbers, texts and other values without parts are
/// sent as new values.
public protocol Replicated: WireValue {
  /// True if parts of a value can change individually, so that a delta may be shorter than the value.
  static var hasParts: Bool { get }

  /// Returns true if the two values have different bytes.
  ///
  /// This is stricter than `!=`: equal strings may have different scalars, zero is equal to minus zero, and a NaN is
  /// not equal to itself. A struct compares its fields.
  func differs(from base: Self) -> Bool

  /// Writes the item that turns `base` into this value.
  /// - Complexity: O(changes) if comparing is; at most O(size of the value).
  func encodeDelta(from base: Self, to encoder: inout CBOREncoder)

  /// Reads one delta and applies it.
  ///
  /// If it throws, the value may contain part of the change: apply the delta to a copy and keep that on success, as
  /// `applying(delta:)` does.
  mutating func apply(delta decoder: inout CBORDecoder) throws(WireError)

  /// The part at a path; the value itself for an empty path. Nil if an optional, a case or an element on the path is
  /// absent, or if the type has no such part.
  /// - Complexity: O(steps), plus O(log n) for each identified array on the path.
  func part(at path: ArraySlice<PathStep>) -> (any Replicated)?

  /// The key of a stored replicated field; nil for other key paths.
  static func key(of field: PartialKeyPath<Self>) -> UInt64?
}

extension Replicated where Self: Equatable {
  /// Returns true if the values are unequal: correct for types whose equal values have equal bytes.
  public func differs(from base: Self) -> Bool { self != base }
}

extension Replicated {
  /// False: a change is written as the new value.
  public static var hasParts: Bool { false }

  /// Writes the new value, which is the delta of any type without parts.
  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    encode(to: &encoder)
  }

  /// The value itself, as it has no parts.
  public func part(at path: ArraySlice<PathStep>) -> (any Replicated)? { path.isEmpty ? self : nil }

  /// Nil, as it has no fields.
  public static func key(of field: PartialKeyPath<Self>) -> UInt64? { nil }

  /// Replaces the value by the one in the delta.
  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    self = try Self(from: &decoder)
  }

  /// Returns this value with a delta applied, entirely or not at all.
  public func applying(delta decoder: inout CBORDecoder) throws(WireError) -> Self {
    var result = self
    try result.apply(delta: &decoder)
    return result
  }

  /// Applies a delta in place, entirely or not at all.
  ///
  /// As with `apply(delta:)`, observers of a field of an `@ObservableState` are notified only if that field is in the
  /// delta. Because the old value is kept as a copy meanwhile, a changed part gets a new identity, unless the caller
  /// preserves identities, as a `Store` of a remote state does.
  /// - Complexity: That of `apply(delta:)`. Because the old value is kept meanwhile, each array, dictionary or tree
  ///   node that the delta changes is copied, and nothing else.
  public mutating func applyWhole(delta decoder: inout CBORDecoder) throws(WireError) {
    let base = self
    do throws(WireError) {
      try apply(delta: &decoder)
    } catch {
      self = base
      throw error
    }
  }
}
