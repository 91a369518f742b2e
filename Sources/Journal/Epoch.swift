internal import Wire

/// The identity of a history. Revisions and sessions of another epoch are meaningless in this one.
public struct Epoch: Hashable, Sendable, CustomStringConvertible {
  /// The first eight bytes, big-endian.
  public let high: UInt64
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// Creates the epoch with these bits.
  public init(high: UInt64, low: UInt64) {
    (self.high, self.low) = (high, low)
  }

  /// The epoch of a new history.
  static func random() -> Epoch {
    var generator = SystemRandomNumberGenerator()
    return Epoch(high: generator.next(), low: generator.next())
  }

  /// The 16 bytes.
  var bytes: [UInt8] { withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { [UInt8]($0) } }

  init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.init(
      high: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, low: bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// 32 hexadecimal digits.
  public var description: String { bytes.hexadecimal }
}
