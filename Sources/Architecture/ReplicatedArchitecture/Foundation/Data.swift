public import FoundationEssentials
public import Wire

extension Data: WireValue {
  /// `Data`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("Data") }

  /// Writes a byte string.
  public func encode(to encoder: inout CBOREncoder) {
    withUnsafeBytes { encoder.byteString(RawSpan(_unsafeBytes: $0)) }
  }

  /// Reads a byte string.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let bytes = try decoder.byteString()
    self = bytes.withUnsafeBytes { Data($0) }
  }
}

extension Data: Replicated {}
