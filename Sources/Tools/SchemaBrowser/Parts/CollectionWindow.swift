package import SchemaNames
package import Wire

/// The elements of a collection of which only those of a window are here.
///
/// An element that is not here has a name all the same, by its position: `…1500`. A table shows such rows, and its
/// cursor can be at one, until the window that contains them has arrived.
package struct CollectionWindow: ElementSource, Sendable {
  /// An element outside of the window, at the position at which it is expected.
  package struct Expected: Equatable, Sendable {
    package let name: String
    package let position: Int
  }

  private let values: SchemaValues
  private let elements: CBORValue
  private let type: SchemaType
  private let isKeyed: Bool
  private let expected: Expected?
  /// The positions in the collection of the elements that are here.
  package let positions: Range<Int>
  package let count: Int

  /// True if all elements are here.
  package var isWhole: Bool { positions.count == count }

  /// Creates the source of a received window; nil for a part that is none.
  ///
  /// - Parameters:
  ///   - type: The type of the collection, without optionals around it.
  ///   - expected: An element that has probably moved to a position outside of the window.
  package init?(_ part: ReceivedPart, _ type: SchemaType, expected: Expected? = nil, in schema: Schema) {
    guard let window = part.window, let elements = part.value else { return nil }
    values = SchemaValues(schema)
    (self.elements, self.type, self.expected) = (elements, type, expected)
    let length = min(values.elementCount(of: elements, as: type) ?? 0, window.count - window.start)
    (count, positions) = (window.count, window.start..<window.start + length)
    isKeyed = if case .elements = elements { true } else { false }
  }

  /// The size of the encoded elements that are here.
  /// - Complexity: O(size).
  var byteCount: Int { elements.encoded().count }

  package func element(at index: Int) -> SchemaValues.Part? {
    guard positions.contains(index) else { return nil }
    let offset = index - positions.lowerBound
    guard var part = values.elements(of: elements, as: type, in: offset..<offset + 1).first else { return nil }
    // Elements without ids are named by their positions in the whole collection.
    if !isKeyed { part.name = "[\(index)]" }
    return part
  }

  package func name(at index: Int) -> String {
    if let name = element(at: index)?.name { return name }
    if let expected, expected.position == index { return expected.name }
    return Self.placeholder(index)
  }

  package func index(of name: String, hint: Int) -> Int? {
    if let position = Self.position(ofPlaceholder: name) { return position < count ? position : nil }
    if !isKeyed { return Int(name.dropFirst().dropLast()).flatMap { 0..<count ~= $0 ? $0 : nil } }
    if let offset = values.index(ofElementNamed: name, in: elements, as: type), offset < positions.count {
      return positions.lowerBound + offset
    }
    guard let expected, expected.name == name, expected.position < count else { return nil }
    return expected.position
  }

  /// True if the element with a name is here.
  package func contains(_ name: String) -> Bool {
    index(of: name, hint: 0).map { element(at: $0)?.name == name } ?? false
  }

  /// The name of a row whose element is not here.
  package static func placeholder(_ index: Int) -> String { "…\(index)" }

  /// The position of such a row; nil for the name of an element.
  package static func position(ofPlaceholder name: String) -> Int? {
    name.hasPrefix("…") ? Int(name.dropFirst()) : nil
  }
}
