/// One step from a value to a part of it.
public enum PathStep: Hashable, Sendable {
  /// A struct's field or an enum's case by its key, a value by its index in the payload of a case with several, or 0
  /// for the value in an optional.
  case key(UInt64)
  /// An element of an identified array or of a stack by its id, in deterministic CBOR.
  case id([UInt8])
  /// At most `count` adjacent elements of an ordered collection, from a position on; if `start` is negative, as many
  /// elements before the end. Always the last step, which leads to a `Window`.
  case window(start: Int, count: Int)
}

extension PathStep {
  /// True for a window of a collection.
  package var isWindow: Bool { if case .window = self { true } else { false } }
}

extension [PathStep] {
  /// The maximum number of elements of the window at the end of the path; 0 if it ends at a part of the state.
  package var windowElements: Int { if case .window(_, let count) = last { count } else { 0 } }
}

extension PathStep: WireValue {
  /// Writes a key as an unsigned integer, an id as an array of one item, a window as `[start, count]`.
  public func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .key(let key): encoder.unsigned(key)
    case .id(let id):
      encoder.arrayHeader(count: 1)
      unsafe encoder.append(id.span.bytes)
    case .window(let start, let count):
      encoder.arrayHeader(count: 2)
      start.encode(to: &encoder)
      count.encode(to: &encoder)
    }
  }

  /// Reads a step.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    guard try decoder.nextType() == .array else {
      self = .key(try decoder.unsigned())
      return
    }
    let offset = decoder.offset
    switch try decoder.arrayHeader() {
    case 1:
      self = .id([UInt8](try decoder.nextItem()))
      try decoder.skip()
    case 2:
      let (start, count): (Int, Int) = (try decoder.value(), try decoder.value())
      guard count > 0 else { throw WireError(.typeMismatch(expected: "a window with elements"), at: offset) }
      self = .window(start: start, count: count)
    default: throw WireError(.typeMismatch(expected: "an id or a window"), at: offset)
    }
  }
}

extension PathStep: ExpressibleByIntegerLiteral {
  /// A key.
  public init(integerLiteral key: UInt64) { self = .key(key) }
}
