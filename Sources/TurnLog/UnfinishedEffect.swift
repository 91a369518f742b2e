public import Wire

/// An effect with a declared restart that has begun and not ended.
///
/// Encoded as `[number, action]`; the action is a byte string.
public struct UnfinishedEffect: Equatable, Sendable {
  /// The effect's number in the log. Later effects have larger numbers.
  public var number: UInt64
  /// The encoded action that a hub sends if it starts before the effect has ended.
  public var action: [UInt8]

  /// Creates an effect.
  public init(number: UInt64, action: [UInt8]) { (self.number, self.action) = (number, action) }
}

extension UnfinishedEffect: WireValue {
  /// Writes `[number, action]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 2)
    encoder.unsigned(number)
    encoder.byteString(action.span.bytes)
  }

  /// Reads `[number, action]`.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(2)
    let start = decoder.offset
    number = try decoder.unsigned()
    // Later effects get larger numbers.
    guard number < 1 << 62 else { throw WireError(.outOfRange(type: "number of an effect"), at: start) }
    action = try decoder.byteString().withUnsafeBytes { [UInt8]($0) }
  }
}

/// The effects with a declared restart that have begun or ended in a turn.
///
/// Encoded as `[begun, ended]`.
public struct EffectChanges: Equatable, Sendable {
  /// The effects that have begun and not ended.
  public var begun: [UnfinishedEffect]
  /// The numbers of effects that have ended, and of those whose restart was sent.
  public var ended: [UInt64]

  /// Creates changes; by default none.
  public init(begun: [UnfinishedEffect] = [], ended: [UInt64] = []) { (self.begun, self.ended) = (begun, ended) }

  /// True if there are no changes.
  public var isEmpty: Bool { begun.isEmpty && ended.isEmpty }

  /// The approximate number of bytes that the changes need in memory.
  var byteCount: Int { begun.reduce(8 * ended.count) { $0 + 32 + $1.action.count } }
}

extension EffectChanges: WireValue {
  /// Writes `[begun, ended]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 2)
    begun.encode(to: &encoder)
    ended.encode(to: &encoder)
  }

  /// Reads `[begun, ended]`.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(2)
    begun = try [UnfinishedEffect](from: &decoder)
    ended = try [UInt64](from: &decoder)
  }
}

/// The effects with a declared restart that are in flight after a turn.
///
/// Encoded as an array of `UnfinishedEffect`, in the order in which they began.
public struct EffectsInFlight: Equatable, Sendable {
  private var actions: [UInt64: [UInt8]] = [:]

  /// Creates a set; by default an empty one.
  public init(_ effects: [UnfinishedEffect] = []) { for effect in effects { actions[effect.number] = effect.action } }

  /// True if there are none.
  public var isEmpty: Bool { actions.isEmpty }

  /// The number of effects.
  public var count: Int { actions.count }

  /// The largest number of an effect; 0 if there are none.
  package var lastNumber: UInt64 { actions.keys.max() ?? 0 }

  /// The effects in the order in which they began.
  /// - Complexity: O(n log n).
  public var inOrder: [UnfinishedEffect] {
    actions.sorted { $0.key < $1.key }.map { UnfinishedEffect(number: $0.key, action: $0.value) }
  }

  /// Follows the changes of a turn.
  /// - Complexity: O(changes).
  public mutating func apply(_ changes: EffectChanges) {
    for effect in changes.begun { actions[effect.number] = effect.action }
    for number in changes.ended { actions[number] = nil }
  }
}

extension EffectsInFlight: WireValue {
  /// Writes the effects in the order in which they began.
  public func encode(to encoder: inout CBOREncoder) { inOrder.encode(to: &encoder) }

  /// Reads the effects.
  public init(from decoder: inout CBORDecoder) throws(WireError) { self.init(try [UnfinishedEffect](from: &decoder)) }
}
