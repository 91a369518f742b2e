public import FoundationEssentials
public import Wire

extension URL: WireValue {
  /// `URL`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("URL") }

  /// Writes the text, or `[text, base]` for a relative URL.
  public func encode(to encoder: inout CBOREncoder) {
    guard let baseURL else { return encoder.text(relativeString) }
    encoder.arrayHeader(count: 2)
    encoder.text(relativeString)
    baseURL.encode(to: &encoder)
  }

  /// Reads a URL.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    var base: URL?
    let text: String
    if try decoder.nextType() == .array {
      try decoder.enter()
      defer { decoder.leave() }
      try decoder.tuple(2)
      text = try decoder.text()
      base = try URL(from: &decoder)
    } else {
      text = try decoder.text()
    }
    // A text that changes when it is written again would give equal values different bytes.
    guard let url = URL(string: text, relativeTo: base), url.relativeString == text else {
      throw WireError(.typeMismatch(expected: "a URL, such as https://example.com/a%20b"), at: start)
    }
    self = url
  }
}

extension URL: Replicated {
  /// Returns true if the text or the base differs.
  public func differs(from base: URL) -> Bool {
    relativeString.differs(from: base.relativeString) || baseURL.differs(from: base.baseURL)
  }
}
