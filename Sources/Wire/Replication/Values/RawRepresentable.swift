// An enum or option set is encoded as its raw value if it declares the conformance alone:
//
//     enum Colour: String { case red, green }
//     extension Colour: Replicated {}

extension WireValue where Self: RawRepresentable, RawValue: WireValue {
  /// Writes the raw value.
  public func encode(to encoder: inout CBOREncoder) {
    rawValue.encode(to: &encoder)
  }

  /// Reads a raw value that the type has.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    guard let value = Self(rawValue: try RawValue(from: &decoder)) else {
      throw WireError(.outOfRange(type: "\(Self.self)"), at: start)
    }
    self = value
  }

  /// The type's name and its raw value's type.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    if mayHoldRefusedRawValue { builder.noteRestricted("\(Self.self)") }
    return .named("raw", [.named("\(Self.self)"), RawValue.schema(in: &builder)])
  }

  /// True if a value may have a raw value that `init(rawValue:)` refuses, as a struct with a variable raw value may.
  ///
  /// An enum is smaller than its raw value, or its cases can be listed.
  private static var mayHoldRefusedRawValue: Bool {
    !(self is any OptionSet.Type) && !(self is any CaseIterable.Type)
      && MemoryLayout<Self>.size >= MemoryLayout<RawValue>.size
  }
}

extension Replicated where Self: RawRepresentable, RawValue: Replicated {
  /// Returns true if the raw values differ.
  public func differs(from base: Self) -> Bool { rawValue.differs(from: base.rawValue) }
}

extension Replicated where Self: RawRepresentable & Equatable, RawValue: Replicated {
  /// Returns true if the raw values differ.
  public func differs(from base: Self) -> Bool { rawValue.differs(from: base.rawValue) }
}
