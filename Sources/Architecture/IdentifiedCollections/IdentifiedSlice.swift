/// A part of an identified array, whose positions are those of the array: `items.prefix(3)`, `items[2...]`.
///
/// A slice shares the elements of its array until it is changed; then it has only its own. So a slice never contains, or
/// loses, elements because of those beside it, and its ids are unique among themselves:
///
/// ```swift
/// let items: IdentifiedArrayOf<Item> = [Item(id: 1), Item(id: 2), Item(id: 3)]
/// items.prefix(1) + items.suffix(1)  // ids 1, 3
/// ```
public struct IdentifiedSlice<ID: Hashable, Element> {
  /// The array of the slice, or an array of the slice's elements alone.
  @usableFromInline
  var base: IdentifiedArray<ID, Element>
  /// The position in the slice of the first element of `base`.
  @usableFromInline
  var offset: Int

  @usableFromInline
  var bounds: Range<Int>

  @inlinable
  init(_ base: IdentifiedArray<ID, Element>, _ bounds: Range<Int>, offset: Int = 0) {
    (self.base, self.bounds, self.offset) = (base, bounds, offset)
  }

  /// The position of the first element.
  @inlinable
  public var startIndex: Int { bounds.lowerBound }

  /// The position after the last element.
  @inlinable
  public var endIndex: Int { bounds.upperBound }

  /// Changes an array of the slice's elements alone.
  @inlinable
  mutating func change<Result>(_ body: (inout IdentifiedArray<ID, Element>) -> Result) -> Result {
    if count != base.count { base = IdentifiedArray(self) }
    offset = startIndex
    defer { bounds = startIndex..<startIndex + base.count }
    return body(&base)
  }

  @inlinable
  func precondition(isPosition position: Int) {
    Swift.precondition(position >= startIndex && position < endIndex, "Index out of range")
  }
}

extension IdentifiedSlice: RandomAccessCollection, MutableCollection {
  /// The element at a position.
  ///
  /// An element whose id exists elsewhere in the slice moves, as in an ``IdentifiedArray``.
  ///
  /// - Precondition: `position` is a valid index.
  /// - Complexity: O(log n); O(k log k) for the first change of a slice of k elements.
  @inlinable
  public subscript(position: Int) -> Element {
    get {
      precondition(isPosition: position)
      return base[position - offset]
    }
    set {
      precondition(isPosition: position)
      let position = position - startIndex
      change { $0[position] = newValue }
    }
  }

  /// A part of the slice.
  ///
  /// - Precondition: the range is within the slice.
  /// - Complexity: O(1).
  @inlinable
  public subscript(bounds: Range<Int>) -> IdentifiedSlice {
    get {
      precondition(isRange: bounds)
      return IdentifiedSlice(base, bounds, offset: offset)
    }
    set {
      precondition(isRange: bounds)
      let bounds = bounds.lowerBound - startIndex..<bounds.upperBound - startIndex
      change { $0.replace(bounds, with: newValue) }
    }
  }

  @inlinable
  func precondition(isRange bounds: Range<Int>) {
    Swift.precondition(bounds.lowerBound >= startIndex && bounds.upperBound <= endIndex, "Range out of bounds")
  }

  /// Exchanges the elements at two positions.
  ///
  /// - Precondition: both are valid indices.
  @inlinable
  public mutating func swapAt(_ i: Int, _ j: Int) {
    precondition(isPosition: i)
    precondition(isPosition: j)
    let (first, second) = (i - startIndex, j - startIndex)
    change { $0.swapAt(first, second) }
  }
}

extension IdentifiedSlice: RangeReplaceableCollection where Element: Identifiable, ID == Element.ID {
  /// Creates an empty slice.
  @inlinable
  public init() {
    self.init(IdentifiedArray(), 0..<0)
  }

  /// Replaces the elements of a range of positions, as in an ``IdentifiedArray``.
  ///
  /// - Precondition: the range is within the slice.
  @inlinable
  public mutating func replaceSubrange(_ subrange: Range<Int>, with newElements: some Collection<Element>) {
    precondition(isRange: subrange)
    let subrange = subrange.lowerBound - startIndex..<subrange.upperBound - startIndex
    change { $0.replaceSubrange(subrange, with: newElements) }
  }

  /// Appends an element unless the slice has its id already.
  @inlinable
  public mutating func append(_ element: Element) {
    change { _ = $0.append(element) }
  }

  /// Appends each element whose id the slice does not have yet.
  @inlinable
  public mutating func append(contentsOf elements: some Sequence<Element>) {
    change { $0.append(contentsOf: elements) }
  }

  /// Inserts an element before a position unless the slice has its id already.
  ///
  /// - Precondition: `position` is a valid index or the end.
  @inlinable
  public mutating func insert(_ element: Element, at position: Int) {
    Swift.precondition(position >= startIndex && position <= endIndex, "Index out of range")
    let position = position - startIndex
    change { _ = $0.insert(element, at: position) }
  }
}

extension IdentifiedSlice: Equatable where Element: Equatable {
  /// Returns true if the elements are equal and in the same order, whatever their positions.
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.elementsEqual(rhs) }
}

extension IdentifiedSlice: Hashable where Element: Hashable {
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in self { hasher.combine(element) }
  }
}

extension IdentifiedSlice: Sendable where ID: Sendable, Element: Sendable {}

extension IdentifiedSlice: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The elements, like those of an array.
  public var description: String { Array(self).description }
  /// The elements, like those of an array.
  public var debugDescription: String { Array(self).debugDescription }
  /// The elements, like those of an array.
  public var customMirror: Mirror { Mirror(self, unlabeledChildren: self, displayStyle: .collection) }
}

extension IdentifiedArray {
  /// The elements of a range of positions.
  ///
  /// Setting it replaces them.
  ///
  /// - Precondition: the range is within the array.
  /// - Complexity: O(1) to read.
  @inlinable
  public subscript(bounds: Range<Int>) -> IdentifiedSlice<ID, Element> {
    get {
      Swift.precondition(bounds.lowerBound >= 0 && bounds.upperBound <= count, "Range out of bounds")
      return IdentifiedSlice(self, bounds)
    }
    set { replace(bounds, with: newValue) }
  }

  /// Assigns the elements one by one if there are as many, so that those that were only reordered are moved.
  @inlinable
  mutating func replace(_ bounds: Range<Int>, with elements: IdentifiedSlice<ID, Element>) {
    if elements.count == bounds.count {
      for (position, element) in zip(bounds, elements) { self[position] = element }
    } else {
      removeSubrange(bounds)
      for element in elements.reversed() { _ = updateOrInsert(element, orAt: bounds.lowerBound) }
    }
  }

  /// Creates an array from a slice.
  ///
  /// - Complexity: O(k log k) for a slice of k elements; O(1) for a slice of the whole array.
  @inlinable
  public init(_ elements: IdentifiedSlice<ID, Element>) {
    if elements.count == elements.base.count {
      self = elements.base
    } else {
      self = elements.base.emptied()
      for position in elements.bounds { appendNew(from: elements.base.slot(at: position - elements.offset)) }
    }
  }
}
