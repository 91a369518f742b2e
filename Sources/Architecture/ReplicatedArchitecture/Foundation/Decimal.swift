public import FoundationEssentials
public import Wire

extension Decimal: WireValue {
  /// `Decimal`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("Decimal") }

  /// Writes the number as a text of decimal digits, such as `"-12.5"`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.text(description)
  }

  /// Reads a number in the canonical form in which it is written.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let text = try decoder.text(limit: 256)
    if text == Decimal.nan.description {
      self = .nan
      return
    }
    guard let value = Decimal(string: text), value.description == text else {
      throw WireError(.outOfRange(type: "Decimal"), at: start)
    }
    self = value
  }
}

extension Decimal: Replicated {
  /// Returns true if the numbers differ.
  public func differs(from base: Decimal) -> Bool { self != base && !(isNaN && base.isNaN) }
}
