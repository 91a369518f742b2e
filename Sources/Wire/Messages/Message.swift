/// The payload of one kind of frame.
public protocol Message: WireValue, Sendable {
  /// The kind of frame that carries it.
  static var kind: FrameKind { get }
}

/// The versions of the protocol.
public enum ProtocolVersion {
  /// The oldest supported version.
  public static var oldest: UInt64 { 1 }
  /// The newest supported version.
  public static var newest: UInt64 { 1 }
}

/// Identifies a session across connections: 128 random bits chosen by the hub, known only to the hub and the client.
public struct SessionID: Hashable, Sendable, WireValue {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// Creates the identifier with these bits.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A random identifier.
  public static func random(using generator: inout some RandomNumberGenerator) -> SessionID {
    SessionID(high: generator.next(), low: generator.next())
  }

  /// Writes a string of 16 bytes.
  public func encode(to encoder: inout CBOREncoder) {
    unsafe withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { unsafe encoder.byteString($0.bytes) }
  }

  /// Reads a string of 16 bytes.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let bytes = try decoder.byteString(limit: 16)
    guard bytes.byteCount == 16 else {
      throw WireError(.typeMismatch(expected: "a session of 16 bytes"), at: start)
    }
    high = unsafe UInt64(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self))
    low = unsafe UInt64(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }
}

extension SessionID: CustomStringConvertible {
  /// The first 32 bits in hexadecimal: enough for a log, but not to resume the session.
  public var description: String {
    let digits = String(high >> 32, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
