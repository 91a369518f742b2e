/// Requests a pong. One pong answers all earlier pings, so their numbers should increase.
public struct Ping: Message, Equatable {
  public static var kind: FrameKind { .ping }

  /// The sender's own count of pings.
  public var number: UInt64

  /// Creates a ping.
  public init(number: UInt64) { self.number = number }

  /// Writes the number.
  public func encode(to encoder: inout CBOREncoder) { encoder.unsigned(number) }

  /// Reads the number.
  public init(from decoder: inout CBORDecoder) throws(WireError) { number = try decoder.unsigned() }
}

/// The reply to the ping with the same number, and to all before it.
public struct Pong: Message, Equatable {
  public static var kind: FrameKind { .pong }

  /// The number of the last ping received.
  public var number: UInt64

  /// Creates a pong.
  public init(number: UInt64) { self.number = number }

  /// Writes the number.
  public func encode(to encoder: inout CBOREncoder) { encoder.unsigned(number) }

  /// Reads the number.
  public init(from decoder: inout CBORDecoder) throws(WireError) { number = try decoder.unsigned() }
}
