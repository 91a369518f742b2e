package import SchemaNames
package import Wire

/// The elements of a collection, of which a client may have only some.
package protocol ElementSource {
  /// The number of the collection's elements, also of those that are not here.
  var count: Int { get }

  /// The element at an index; nil while it is not here.
  /// - Complexity: O(log n).
  func element(at index: Int) -> SchemaValues.Part?

  /// The name of the element at an index, also while it is not here.
  func name(at index: Int) -> String

  /// The index of the element with a name, such as `[3]`; nil if it is not here.
  ///
  /// - Parameter hint: The index at which it was last.
  func index(of name: String, hint: Int) -> Int?
}

extension ElementSource {
  package func name(at index: Int) -> String { element(at: index)?.name ?? CollectionWindow.placeholder(index) }
}

/// The elements of a collection whose whole value is here.
package struct WholeCollection: ElementSource {
  private let values: SchemaValues
  private let value: CBORValue
  private let type: SchemaType
  package let count: Int

  /// Creates a source; nil for a value that is no collection.
  package init?(_ value: CBORValue, _ type: SchemaType, in schema: Schema) {
    values = SchemaValues(schema)
    guard let count = values.elementCount(of: value, as: type) else { return nil }
    (self.value, self.type, self.count) = (value, type, count)
  }

  package func element(at index: Int) -> SchemaValues.Part? {
    guard 0..<count ~= index else { return nil }
    return values.elements(of: value, as: type, in: index..<index + 1).first
  }

  package func index(of name: String, hint: Int) -> Int? {
    // Of a row that was not here while only a window was.
    if let position = CollectionWindow.position(ofPlaceholder: name) { return position < count ? position : nil }
    if element(at: hint)?.name == name { return hint }
    if let index = values.index(ofElementNamed: name, in: value, as: type) { return index }
    // What has moved has usually not moved far.
    let (near, chunk) = (min(max(hint - 64, 0), count), 1024)
    for range in [near..<min(near + 128, count)]
      + stride(from: 0, to: count, by: chunk).map({ $0..<min($0 + chunk, count) })
    where !range.isEmpty {
      let parts = values.elements(of: value, as: type, in: range)
      if let offset = parts.firstIndex(where: { $0.name == name }) { return range.lowerBound + offset }
    }
    return nil
  }
}

extension SchemaValues {
  /// The elements of a collection in a range, also those of a set, which are named by their index.
  package func elements(of value: CBORValue, as type: SchemaType, in range: Range<Int>) -> [Part] {
    if let parts = parts(of: value, as: type, in: range) { return parts }
    guard case .named(let name, let parts) = FieldRank.unwrapped(type), NamedLayout(name, parts.count) == .set else {
      return []
    }
    var items = value
    // The optionals around it.
    while case .array(let wrapped) = items, wrapped.count == 1, case .array = wrapped[0], type != .named(name, parts) {
      items = wrapped[0]
    }
    guard case .array(let members) = items else { return [] }
    return range.clamped(to: members.indices).map { Part(name: "[\($0)]", type: parts[0], value: members[$0]) }
  }
}
