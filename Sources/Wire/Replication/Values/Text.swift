extension String: Replicated {
  /// `String`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("String") }

  /// Returns true if the UTF-8 differs.
  public func differs(from base: String) -> Bool {
    if Identical.bits(self, base) { return false }
    guard utf8.count == base.utf8.count else { return true }
    let differs = unsafe utf8.withContiguousStorageIfAvailable { mine in
      unsafe base.utf8.withContiguousStorageIfAvailable { unsafe !$0.elementsEqual(mine) }
    }
    return (differs ?? nil) ?? !utf8.elementsEqual(base.utf8)
  }

  /// Writes a text string.
  @inlinable
  public func encode(to encoder: inout CBOREncoder) {
    encoder.text(self)
  }

  /// Reads a text string.
  @inlinable
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self = try decoder.text()
  }
}

extension Substring: Replicated {
  /// `Substring`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("Substring") }

  /// Returns true if the UTF-8 differs.
  public func differs(from base: Substring) -> Bool { !utf8.elementsEqual(base.utf8) }

  /// Writes a text string.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.text(String(self))
  }

  /// Reads a text string.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self = Substring(try decoder.text())
  }
}

extension Character: Replicated {
  /// `Character`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("Character") }

  /// Returns true if the UTF-8 differs.
  public func differs(from base: Character) -> Bool { !utf8.elementsEqual(base.utf8) }

  /// Writes a text string of one character.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.text(String(self))
  }

  /// Reads a text string of exactly one character.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let text = try decoder.text()
    guard let first = text.first, text.index(after: text.startIndex) == text.endIndex else {
      throw WireError(.typeMismatch(expected: "a text of one character"), at: start)
    }
    self = first
  }
}

extension Unicode.Scalar: Replicated {
  /// `Unicode.Scalar`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("Unicode.Scalar") }

  /// Writes the scalar's number.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.unsigned(UInt64(value))
  }

  /// Reads the number of a scalar.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    guard let value = UInt32(exactly: try decoder.unsigned()), let scalar = Unicode.Scalar(value) else {
      throw WireError(.outOfRange(type: "Unicode.Scalar"), at: start)
    }
    self = scalar
  }
}
