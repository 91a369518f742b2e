/// Asks the other side for a sign of life. One pong answers every ping before it, so the number only grows.
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

/// The answer to the ping with the same number, and to those before it.
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
