/// A type with one deterministic form on the wire: the same value always has the same bytes.
///
/// Equal by `==` is not always the same: canonically equivalent strings (`"\u{e9}"` and `"e\u{301}"`) keep their
/// different scalars, 0.0 and −0.0 their signs, and a NaN its payload.
///
/// Structs are maps of small integer keys in ascending order; an enum case without a payload is its key alone,
/// one with a payload is an array of the key and the payload's items. Keys are stable names: they are never
/// reused for another field or case.
public protocol WireValue: SendableMetatype {
  /// Writes exactly one item.
  func encode(to encoder: inout CBOREncoder)

  /// Reads exactly one item.
  ///
  /// - Throws: What is wrong with the bytes, and where; the decoder then stands anywhere inside the item.
  init(from decoder: inout CBORDecoder) throws(WireError)

  /// Describes the type to those who were not compiled with it.
  ///
  /// `@Replicated` writes it; without it, a type is known by its name alone.
  static func schema(in builder: inout SchemaBuilder) -> SchemaType
}

extension WireValue {
  /// The type's name, as one that only its own code can read.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("opaque", [.named("\(Self.self)")])
  }

  /// The value's deterministic bytes.
  public func encoded() -> [UInt8] {
    var encoder = CBOREncoder()
    encode(to: &encoder)
    return encoder.bytes
  }

  /// Reads exactly one value and refuses anything behind it.
  public init(decoding bytes: RawSpan) throws(WireError) {
    var decoder = CBORDecoder(bytes)
    try self.init(from: &decoder)
    try decoder.finish()
  }
}
