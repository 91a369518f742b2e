public import FoundationEssentials
public import Wire

extension Date: WireValue {
  /// `Date`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("Date") }

  /// Writes the seconds since 1 January 2001, as a float that preserves every bit.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.float(timeIntervalSinceReferenceDate)
  }

  /// Reads seconds since 1 January 2001.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self.init(timeIntervalSinceReferenceDate: try decoder.float())
  }
}

extension Date: Replicated {
  /// Returns true if the bits of the seconds differ.
  public func differs(from base: Date) -> Bool {
    timeIntervalSinceReferenceDate.differs(from: base.timeIntervalSinceReferenceDate)
  }
}
