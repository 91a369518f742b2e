/// State and actions whose changes travel: what differs between two values is written as a delta, and a delta is
/// applied to the value it was taken from.
///
/// `@Replicated` writes the conformance:
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
/// is a change inside the value that is there, and anything else is the new value. The delta of a struct is a map of the
/// keys of its changed fields to their deltas; that of an optional or of an enum in the same case is `{case key: delta of
/// the payload}`; collections say at their `encodeDelta` what they write. Numbers, texts and whatever else has no parts
/// travel whole.
public protocol Replicated: WireValue {
  /// Whether parts of a value can change alone, so that a delta may be shorter than the value.
  static var hasParts: Bool { get }

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

  /// The part that a path leads to, the value itself at its end; nil when an optional, a case or an element on the way
  /// is not there, or the type has no such part.
  /// - Complexity: O(steps), and O(log n) for each identified array on the way.
  func part(at path: ArraySlice<PathStep>) -> (any Replicated)?

  /// The key of a stored field that travels, or nil for what is none.
  static func key(of field: PartialKeyPath<Self>) -> UInt64?
}

extension Replicated where Self: Equatable {
  /// Whether the values are unequal: right for types whose equal values have equal bytes.
  public func differs(from base: Self) -> Bool { self != base }
}

extension Replicated {
  /// False: a change is written as the new value.
  public static var hasParts: Bool { false }

  /// Writes the whole new value: the delta of everything that has no parts.
  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    encode(to: &encoder)
  }

  /// The value itself: it has no parts.
  public func part(at path: ArraySlice<PathStep>) -> (any Replicated)? { path.isEmpty ? self : nil }

  /// Nil: it has no fields.
  public static func key(of field: PartialKeyPath<Self>) -> UInt64? { nil }

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

  /// Applies a delta whole or not at all, and in place.
  ///
  /// Observers of a field of an `@ObservableState` are notified only if that field is in the delta, as after
  /// `apply(delta:)`. The old value is a copy meanwhile, so a changed part gets an identity of its own, unless the caller
  /// keeps identities, as a `Store` of a remote state does.
  /// - Complexity: That of `apply(delta:)`, once. The old value is kept meanwhile, so each array, dictionary or node of a tree
  ///   that the delta changes is copied, and nothing else.
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
