public import Wire

/// Successive actions of one origin within a turn.
///
/// Encoded as `[origin, count, actions]`. The origin is `[session, first sequence number]`, or `null` for the hub
/// itself. The actions are a byte string that contains a CBOR sequence.
public struct LoggedActions: Equatable, Sendable {
  /// The origin of actions.
  public enum Origin: Equatable, Sendable {
    /// A client's session. The first action has this sequence number; the others follow.
    case session(SessionID, first: UInt64)
    /// The hub itself: an effect or a `HubEvent`.
    case hub
  }

  /// The origin of the actions.
  public var origin: Origin
  /// The number of actions.
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

  /// Writes the same form without creating a value.
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
