public import Wire

/// Successive actions of one origin within a turn.
///
/// Written as `[origin, count, actions]`, where the origin is `[session, first sequence number]`, or `null` for the hub
/// itself, and the actions are a byte string that holds a CBOR sequence.
public struct LoggedActions: Equatable, Sendable {
  /// Where actions come from.
  public enum Origin: Equatable, Sendable {
    /// A client's session; the first action has this sequence number and the others follow it.
    case session(SessionID, first: UInt64)
    /// The hub itself: an effect, or an event of its life.
    case hub
  }

  /// Where the actions come from.
  public var origin: Origin
  /// How many there are.
  public var count: UInt64
  /// The actions, as a CBOR sequence.
  public var actions: [UInt8]

  /// Creates a run of actions.
  public init(origin: Origin, count: UInt64, actions: [UInt8]) {
    (self.origin, self.count, self.actions) = (origin, count, actions)
  }
}

extension LoggedActions: WireValue {
  /// Writes `[origin, count, actions]`.
  public func encode(to encoder: inout CBOREncoder) {
    Self.encode(origin, count: count, actions.span.bytes, to: &encoder)
  }

  /// Writes the form of a value that was never made.
  package static func encode(_ origin: Origin, count: UInt64, _ actions: RawSpan, to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 3)
    switch origin {
    case .session(let id, let first):
      encoder.arrayHeader(count: 2)
      id.encode(to: &encoder)
      encoder.unsigned(first)
    case .hub:
      encoder.null()
    }
    encoder.unsigned(count)
    encoder.byteString(actions)
  }

  /// Reads `[origin, count, actions]`.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(3)
    if try decoder.null() {
      origin = .hub
    } else {
      try decoder.tuple(2)
      origin = .session(try SessionID(from: &decoder), first: try decoder.unsigned())
    }
    count = try decoder.unsigned()
    actions = try decoder.byteString().withUnsafeBytes { [UInt8]($0) }
  }
}
