/// The SHA-256 of a schema's bytes without its former names. Processes with the same fingerprint have the same schema.
public struct SchemaFingerprint: Hashable, Sendable {
  /// The 32 bytes.
  public let bytes: [UInt8]
}

extension Schema {
  /// The fingerprint of the schema's deterministic bytes, without the former names.
  public var fingerprint: SchemaFingerprint { SchemaFingerprint(ofBytes: withoutFormerNames.encoded()) }
}

extension SchemaFingerprint {
  /// The SHA-256 of bytes.
  package init(ofBytes content: [UInt8]) { bytes = SHA256.digest(of: content) }
}

extension SchemaFingerprint: WireValue {
  /// Writes a byte string.
  public func encode(to encoder: inout CBOREncoder) {
    unsafe encoder.byteString(bytes.span.bytes)
  }

  /// Reads a byte string of 32 bytes.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    bytes = [UInt8](try decoder.byteString(limit: 32))
    guard bytes.count == 32 else { throw WireError(.typeMismatch(expected: "a fingerprint of 32 bytes"), at: start) }
  }
}

extension SchemaFingerprint: CustomStringConvertible {
  /// 64 hexadecimal digits.
  public var description: String { bytes.hexadecimal }
}
