extension IdentifiedArray: Encodable where Element: Encodable {
  /// Encodes the elements like an array.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for element in self { try container.encode(element) }
  }
}

extension IdentifiedArray: Decodable where Element: Decodable & Identifiable, ID == Element.ID {
  /// Decodes the elements like an array.
  ///
  /// - Throws: `DecodingError.dataCorrupted` if two elements have the same id.
  public init(from decoder: any Decoder) throws {
    self.init()
    var container = try decoder.unkeyedContainer()
    while !container.isAtEnd {
      let offset = container.currentIndex
      guard append(try container.decode(Element.self)).inserted else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "Duplicate element at offset \(offset)")
      }
    }
  }
}
