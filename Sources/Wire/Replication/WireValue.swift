/// A type with a deterministic encoding: the same value always has the same bytes.
///
/// Values that are equal by `==` may have different bytes: canonically equivalent strings (`"\u{e9}"` and `"e\u{301}"`)
/// keep their scalars, 0.0 and −0.0 their signs, and a NaN its payload.
///
/// Structs are maps of small integer keys in ascending order. An enum case without a payload is its key; one with a
/// payload is an array of the key and the payload's items. Keys are stable names and are never reused for another field
/// or case.
public protocol WireValue: SendableMetatype {
  /// Writes exactly one item.
  func encode(to encoder: inout CBOREncoder)

  /// Reads exactly one item.
  ///
  /// - Throws: The problem with the bytes and its offset; the decoder is then somewhere inside the item.
  init(from decoder: inout CBORDecoder) throws(WireError)

  /// Describes the type to programs that were compiled without it.
  ///
  /// `@Replicated` generates it. Without it, a type is known only by its name.
  static func schema(in builder: inout SchemaBuilder) -> SchemaType
}

extension WireValue {
  /// The type's name; only the type's own code can read its bytes.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("opaque", [.named("\(Self.self)")])
  }

  /// The value's deterministic bytes.
  public func encoded() -> [UInt8] {
    var encoder = CBOREncoder()
    encode(to: &encoder)
    return encoder.bytes
  }

  /// Reads exactly one value and refuses bytes after it.
  public init(decoding bytes: RawSpan) throws(WireError) {
    var decoder = CBORDecoder(bytes)
    try self.init(from: &decoder)
    try decoder.finish()
  }
}
