/// A number that several clients add to at the same time: all additions count.
///
/// Its change is the difference, where that of an `Int` is the new number, so that of two concurrent increments one would
/// be lost.
///
/// ```swift
/// @Replicated struct Poll { var yes: SharedCounter = 0 }
/// poll.yes += 1
/// ```
public struct SharedCounter: Hashable, Sendable {
  /// The sum of all additions.
  public var value: Int

  /// Creates a counter.
  public init(_ value: Int = 0) { self.value = value }

  /// Adds to the counter.
  /// - Precondition: The sum fits an `Int`.
  public static func += (counter: inout Self, amount: Int) { counter.value += amount }

  /// Subtracts from the counter.
  /// - Precondition: The difference fits an `Int`.
  public static func -= (counter: inout Self, amount: Int) { counter.value -= amount }
}

extension SharedCounter: ExpressibleByIntegerLiteral {
  /// A counter with this value.
  public init(integerLiteral value: Int) { self.init(value) }
}

extension SharedCounter: CustomStringConvertible {
  /// The number.
  public var description: String { "\(value)" }
}

extension Replicated {
  /// Adds what another client has counted under the same new key; for no counter, this value replaces the other.
  mutating func add(_ existing: Self, at offset: Int) throws(WireError) {
    guard let counter = self as? SharedCounter, let existing = existing as? SharedCounter else { return }
    let (sum, overflows) = counter.value.addingReportingOverflow(existing.value)
    guard !overflows, let sum = SharedCounter(sum) as? Self else {
      throw WireError(.outOfRange(type: "SharedCounter"), at: offset)
    }
    self = sum
  }
}

extension SharedCounter: Replicated {
  /// True: its change is a part of the value.
  public static var hasParts: Bool { true }

  /// A raw type of `Int`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("raw", [.named("SharedCounter"), Int.schema(in: &builder)])
  }

  /// Writes the number.
  public func encode(to encoder: inout CBOREncoder) { value.encode(to: &encoder) }

  /// Reads a number.
  public init(from decoder: inout CBORDecoder) throws(WireError) { value = try decoder.value() }

  /// Writes the number, and for a change `{0: difference}`.
  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    guard encoder.isMerging else { return encode(to: &encoder) }
    encoder.change(of: 0)
    (Int128(value) - Int128(base.value)).encode(to: &encoder)
  }

  /// Replaces the number, or adds to it while a change is merged.
  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    guard decoder.isMerging, let key = try decoder.change() else {
      self = try Self(from: &decoder)
      return
    }
    guard key == 0 else { throw WireError(.unknownCase(key, type: "change of a SharedCounter"), at: start) }
    let (sum, overflows) = Int128(value).addingReportingOverflow(try Int128(from: &decoder))
    guard !overflows, let sum = Int(exactly: sum) else {
      throw WireError(.outOfRange(type: "SharedCounter"), at: start)
    }
    value = sum
  }
}
