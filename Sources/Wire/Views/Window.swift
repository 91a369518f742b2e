/// Some adjacent elements of an ordered collection, with their position and the number of all elements.
///
/// A client that shows a page of a large collection subscribes to a window of it. It is sent the elements of the window
/// and their changes, whatever the size of the collection:
///
/// ```swift
/// let page = client.attach(to: { $0.todos.todos[window: 0..<50] }, action: { (action: AppFeature.Action) in action })
/// page.onChange = { print(page.store?.count ?? 0, page.store?.elements.first?.text ?? "") }
/// ```
///
/// A window stays at its positions: when an element before it is removed, all of its elements move up by one. One that
/// begins a number of elements before the end follows the end.
public struct Window<Elements: WindowedCollection> {
  /// The number of elements of the whole collection.
  public private(set) var count: Int
  /// The position of the first element of the window; at most `count`.
  public private(set) var start: Int
  /// The elements, or a collection that contains them, whose elements are not copied until they are needed.
  private var source: Elements
  /// The positions of the elements in `source`.
  private var range: Range<Int>

  /// The elements. There are fewer than the client has asked for if the collection ends before.
  public var elements: Elements { range.count == source.count ? source : source.windowed(range) }

  /// The positions of the elements in the whole collection.
  public var positions: Range<Int> { start..<start + range.count }

  /// Creates the window of a collection.
  ///
  /// - Parameters:
  ///   - collection: The collection.
  ///   - start: The position of the first element; if it is negative, the window begins as many elements before the end
  ///     of the collection, or at its start if it has fewer.
  ///   - limit: The maximum number of elements; not negative.
  /// - Complexity: O(1).
  public init(of collection: Elements, from start: Int, count limit: Int) {
    let count = collection.count
    let start = start < 0 ? max(count + start, 0) : min(start, count)
    (self.count, self.start, source) = (count, start, collection)
    range = start..<start + min(limit, count - start)
  }

  /// Returns true if the elements have other bytes than those of another window.
  private func elementsDiffer(from base: Self) -> Bool {
    range == base.range ? source.differs(from: base.source, in: range) : elements.differs(from: base.elements)
  }
}

extension Window: WireValue {
  /// Writes `{0: count, 1: start, 2: elements}`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.mapHeader(count: 3)
    encoder.unsigned(0)
    count.encode(to: &encoder)
    encoder.unsigned(1)
    start.encode(to: &encoder)
    encoder.unsigned(2)
    elements.encode(to: &encoder)
  }

  /// Reads a window, and refuses one whose elements are not positions of its collection.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let offset = decoder.offset
    var (count, start, elements): (Int?, Int?, Elements?)
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: count = try Int(from: &decoder)
      case 1: start = try Int(from: &decoder)
      case 2: elements = try Elements(from: &decoder)
      default: try decoder.skip()
      }
    }
    guard let count else { throw WireError(.missingField(key: 0, type: "Window"), at: offset) }
    guard let start else { throw WireError(.missingField(key: 1, type: "Window"), at: offset) }
    guard let elements else { throw WireError(.missingField(key: 2, type: "Window"), at: offset) }
    (self.count, self.start, source, range) = (count, start, elements, 0..<elements.count)
    try checkPositions(at: offset)
  }

  /// A struct.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    builder.structure(Self.self, name: "Window") { fields in
      fields.replicated("count", key: 0, \Self.count, hasDefault: false)
      fields.replicated("start", key: 1, \Self.start, hasDefault: false)
      fields.replicated("elements", key: 2, \Self.elements, hasDefault: false)
    }
  }

  private func checkPositions(at offset: Int) throws(WireError) {
    guard start >= 0, count >= start, range.count <= count - start else {
      throw WireError(.outOfRange(type: "position of a Window"), at: offset)
    }
  }
}

extension Window: Replicated {
  /// True: its fields change individually.
  public static var hasParts: Bool { true }

  /// Returns true if a field differs.
  /// - Complexity: That of `WindowedCollection.differs(from:in:)`.
  public func differs(from base: Self) -> Bool {
    count != base.count || start != base.start || elementsDiffer(from: base)
  }

  /// Writes `{? 0: count, ? 1: start, ? 2: change of the elements}`.
  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    var changed = ChangedFields()
    changed.note(0, count != base.count)
    changed.note(1, start != base.start)
    changed.note(2, elementsDiffer(from: base))
    encoder.mapHeader(count: changed.count)
    if changed.contains(0) {
      encoder.unsigned(0)
      count.encode(to: &encoder)
    }
    if changed.contains(1) {
      encoder.unsigned(1)
      start.encode(to: &encoder)
    }
    if changed.contains(2) {
      encoder.unsigned(2)
      elements.encodeDelta(from: base.elements, to: &encoder)
    }
  }

  /// Applies the changes of fields.
  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    let offset = decoder.offset
    if range.count != source.count { source = elements }
    defer { range = 0..<source.count }
    var fields = try decoder.fields()
    while let key = try decoder.nextKey(of: &fields) {
      switch key {
      case 0: count = try decoder.value()
      case 1: start = try decoder.value()
      case 2: try source.apply(delta: &decoder)
      default: try decoder.skip()
      }
    }
    range = 0..<source.count
    try checkPositions(at: offset)
  }
}

extension Window: Equatable where Elements: Equatable {
  /// Returns true if the counts, the positions and the elements are equal.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.count == rhs.count && lhs.start == rhs.start && lhs.elements == rhs.elements
  }
}

extension Window: Sendable where Elements: Sendable {}
