public import FoundationEssentials
public import Wire

extension UUID: WireValue {
  /// `UUID`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("UUID") }

  /// Writes a byte string of 16 bytes.
  public func encode(to encoder: inout CBOREncoder) {
    withUnsafeBytes(of: uuid) { encoder.byteString(RawSpan(_unsafeBytes: $0)) }
  }

  /// Reads a byte string of 16 bytes.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let bytes = try decoder.byteString(limit: 16)
    guard bytes.byteCount == 16 else { throw WireError(.typeMismatch(expected: "16 bytes"), at: start) }
    self.init(uuid: bytes.unsafeLoadUnaligned(as: uuid_t.self))
  }
}

extension UUID: Replicated {}
