/// One step of a path into a state.
public enum PathStep: Hashable, Sendable {
  /// Into a field of a struct, or a case of an enum, by its key; into what an optional holds by 0; into a success by 0 and
  /// a failure by 1; into one of several values of a case by its index, behind the case's key.
  case key(UInt64)
  /// Into an element of an identified array or a stack: the deterministic bytes of its id.
  case id([UInt8])
}

extension PathStep: WireValue {
  /// Writes a key as an unsigned integer, an id as `[id]`.
  public func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .key(let key): encoder.unsigned(key)
    case .id(let id):
      encoder.arrayHeader(count: 1)
      encoder.append(id.span.bytes)
    }
  }

  /// Reads a step.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    guard try decoder.nextType() == .array else {
      self = .key(try decoder.unsigned())
      return
    }
    try decoder.tuple(1)
    let start = decoder.offset
    try decoder.skip()
    self = .id(Array(decoder.bytes.extracting(start..<decoder.offset)))
  }
}
