/// One step from a value to a part of it.
public enum PathStep: Hashable, Sendable {
  /// A struct's field or an enum's case by its key, a value by its index in the payload of a case with several, or 0
  /// for the value in an optional.
  case key(UInt64)
  /// An element of an identified array or of a stack by its id, in deterministic CBOR.
  case id([UInt8])
}

extension PathStep: WireValue {
  /// Writes a key as an unsigned integer, an id as an array of one item.
  public func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .key(let key): encoder.unsigned(key)
    case .id(let id):
      encoder.arrayHeader(count: 1)
      unsafe encoder.append(id.span.bytes)
    }
  }

  /// Reads a step.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    guard try decoder.nextType() == .array else {
      self = .key(try decoder.unsigned())
      return
    }
    try decoder.tuple(1)
    self = .id([UInt8](try decoder.nextItem()))
    try decoder.skip()
  }
}

extension PathStep: ExpressibleByIntegerLiteral {
  /// A key.
  public init(integerLiteral key: UInt64) { self = .key(key) }
}
