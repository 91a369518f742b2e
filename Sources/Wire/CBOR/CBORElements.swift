package import IdentifiedCollections

/// The elements of an identified array or a stack by their ids, as a persistent tree.
///
/// A changed copy shares everything else with the original, so a tool can keep many versions of a long list and compare
/// them. An element of a stack is the pair `[id, element]`.
public struct CBORElements: RandomAccessCollection, Sendable {
  /// An element and its id.
  package struct Entry: Identifiable, Equatable, Sendable {
    package let id: ElementID
    package let value: CBORValue

    // The id is a part of the value.
    package static func == (a: Entry, b: Entry) -> Bool { a.value == b.value }
  }

  /// Iterates over the elements.
  public struct Iterator: IteratorProtocol {
    var entries: IdentifiedArrayOf<Entry>.Iterator

    /// The next element; nil at the end.
    public mutating func next() -> CBORValue? { entries.next()?.value }
  }

  package private(set) var entries: IdentifiedArrayOf<Entry> = []

  init() {}

  public var startIndex: Int { 0 }
  public var endIndex: Int { entries.count }

  /// The element at a position. - Complexity: O(log n).
  public subscript(position: Int) -> CBORValue { entries[position].value }

  public func makeIterator() -> Iterator { Iterator(entries: entries.makeIterator()) }

  /// The element with an id. - Complexity: O(log n).
  package subscript(id id: ElementID) -> CBORValue? { entries[id: id]?.value }

  /// Replaces the element with an equal id, which may have other bytes; a missing one is not added.
  /// - Complexity: O(log n).
  mutating func update(_ value: CBORValue, id: ElementID) { entries[id: id] = Entry(id: id, value: value) }

  /// Adds an element at a position; returns false if its id is in use. - Complexity: O(log n).
  mutating func insert(_ value: CBORValue, id: ElementID, at position: Int) -> Bool {
    entries.insert(Entry(id: id, value: value), at: position).inserted
  }

  /// Removes the elements with these ids and returns them in the order of the ids; returns nil if one is missing.
  mutating func take(_ ids: [ElementID]) -> [CBORValue]? {
    var taken: [CBORValue] = []
    for id in ids {
      guard let entry = entries.remove(id: id) else { return nil }
      taken.append(entry.value)
    }
    return taken
  }
}

extension CBORValue {
  /// The items of an array of either form; nil for any other value.
  /// - Complexity: O(n) for elements with ids, otherwise O(1).
  package var items: [CBORValue]? {
    switch self {
    case .array(let items): items
    case .elements(let items): Array(items)
    default: nil
    }
  }
}

extension CBORValue: Hashable {
  /// Returns true if both have the same bytes. Unlike texts in Swift, two texts of the same characters are therefore
  /// different if one is composed and the other decomposed.
  /// - Complexity: O(size); for versions of one list, O(parts that they do not share).
  public static func == (a: CBORValue, b: CBORValue) -> Bool {
    switch (a, b) {
    case (.unsigned(let a), .unsigned(let b)), (.negative(let a), .negative(let b)), (.float(let a), .float(let b)):
      a == b
    case (.bytes(let a), .bytes(let b)): a == b
    case (.text(let a), .text(let b)): !a.differs(from: b)
    case (.array(let a), .array(let b)): a == b
    case (.elements(let a), .elements(let b)): a.entries == b.entries
    case (.array(let a), .elements(let b)), (.elements(let b), .array(let a)): a.elementsEqual(b)
    case (.map(let a), .map(let b)): a == b
    case (.tagged(let tagA, let a), .tagged(let tagB, let b)): tagA == tagB && a == b
    case (.simple(let a), .simple(let b)): a == b
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .unsigned(let value): Self.hash(0, value, into: &hasher)
    case .negative(let value): Self.hash(1, value, into: &hasher)
    case .bytes(let value): Self.hash(2, value, into: &hasher)
    case .text(let value):
      hasher.combine(3 as UInt8)
      value.hashBytes(into: &hasher)
    case .array(let items): Self.hash(4, items, into: &hasher)
    case .elements(let items): Self.hash(4, Array(items), into: &hasher)
    case .map(let pairs): Self.hash(5, pairs, into: &hasher)
    case .tagged(let tag, let value):
      Self.hash(6, tag, into: &hasher)
      hasher.combine(value)
    case .simple(let value): Self.hash(7, value, into: &hasher)
    case .float(let bits): Self.hash(8, bits, into: &hasher)
    }
  }

  private static func hash(_ kind: UInt8, _ value: some Hashable, into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(value)
  }
}

extension String {
  /// Hashes the UTF-8, which two equal texts need not have in common.
  func hashBytes(into hasher: inout Hasher) {
    var copy = self
    hasher.combine(utf8.count)
    copy.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
