public import Wire

/// Successive actions of one origin within a turn.
///
/// Encoded as `[origin, count, actions]`. The actions are a byte string that contains a CBOR sequence. The origin is
///
/// - `[session, first sequence number, connection]`; without the connection in journals of version 4 and earlier;
/// - `null` for the hub itself, there also for effects;
/// - `1` for an effect;
/// - `[0, seed]` or `[1, seed]` for the hub itself or an effect, if the reducer has drawn random numbers.
public struct LoggedActions: Equatable, Sendable {
  /// The origin of actions.
  public enum Origin: Equatable, Sendable {
    /// A client's session. The first action has this sequence number; the others follow. The connection is 0 in
    /// journals of earlier versions.
    case session(SessionID, first: UInt64, connection: UInt64 = 0)
    /// The hub itself: its program, or a reaction to a `HubEvent`.
    case hub
    /// An effect.
    case effect

    /// The name for tools: `client`, `hub` or `effect`.
    package var name: String {
      switch self {
      case .session: "client"
      case .hub: "hub"
      case .effect: "effect"
      }
    }
  }

  /// The origin of the actions.
  public var origin: Origin
  /// The number of actions.
  public var count: UInt64
  /// The actions, as a CBOR sequence.
  public var actions: [UInt8]
  /// The key of the random numbers that the reducer has drawn for an action of the hub itself or of an effect; nil if it
  /// has drawn none. A client's follow from its session.
  public var seed: [UInt8]?

  /// Creates a run of actions.
  public init(origin: Origin, count: UInt64, actions: [UInt8], seed: [UInt8]? = nil) {
    (self.origin, self.count, self.actions, self.seed) = (origin, count, actions, seed)
  }
}

extension LoggedActions: WireValue {
  /// Writes `[origin, count, actions]`.
  public func encode(to encoder: inout CBOREncoder) {
    Self.encode(origin, count: count, actions.span.bytes, seed: seed, to: &encoder)
  }

  /// Writes the same form without creating a value.
  package static func encode(
    _ origin: Origin, count: UInt64, _ actions: RawSpan, seed: [UInt8]? = nil, to encoder: inout CBOREncoder
  ) {
    encoder.arrayHeader(count: 3)
    switch (origin, seed) {
    case (.session(let id, let first, let connection), _):
      encoder.arrayHeader(count: connection == 0 ? 2 : 3)
      id.encode(to: &encoder)
      encoder.unsigned(first)
      if connection != 0 { encoder.unsigned(connection) }
    case (.hub, nil): encoder.null()
    case (.effect, nil): encoder.unsigned(1)
    case (.hub, let seed?), (.effect, let seed?):
      encoder.arrayHeader(count: 2)
      encoder.unsigned(origin == .effect ? 1 : 0)
      encoder.byteString(seed.span.bytes)
    }
    encoder.unsigned(count)
    encoder.byteString(actions)
  }

  /// Reads `[origin, count, actions]`.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    try decoder.tuple(3)
    (origin, seed) = try Self.origin(from: &decoder)
    let start = decoder.offset
    count = try decoder.unsigned()
    actions = try decoder.byteString().withUnsafeBytes { [UInt8]($0) }
    // Each has at least one byte.
    guard count <= UInt64(actions.count) else {
      throw WireError(.outOfRange(type: "actions of so many bytes"), at: start)
    }
  }

  private static func origin(
    from decoder: inout CBORDecoder
  ) throws(WireError) -> (Origin, seed: [UInt8]?) {
    if try decoder.null() { return (.hub, nil) }
    let start = decoder.offset
    guard try decoder.nextType() == .array else { return (try ownOrigin(from: &decoder), nil) }
    let count = try decoder.arrayHeader()
    guard count == 2 || count == 3 else {
      throw WireError(.typeMismatch(expected: "an origin of 2 or 3 items"), at: start)
    }
    if count == 2, try decoder.nextType() == .unsigned {
      return (try ownOrigin(from: &decoder), [UInt8](try decoder.byteString()))
    }
    let (id, first) = (try SessionID(from: &decoder), try decoder.logNumber(of: "an action"))
    return (.session(id, first: first, connection: count == 3 ? try decoder.unsigned() : 0), nil)
  }

  /// Reads 0 for the hub itself, or 1 for an effect.
  private static func ownOrigin(from decoder: inout CBORDecoder) throws(WireError) -> Origin {
    let start = decoder.offset
    switch try decoder.unsigned() {
    case 0: return .hub
    case 1: return .effect
    default: throw WireError(.outOfRange(type: "origin of actions"), at: start)
    }
  }
}
