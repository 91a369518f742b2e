public import IdentifiedCollections

/// An ordered collection of which clients can subscribe to a `Window`.
public protocol WindowedCollection: Replicated {
  /// The number of elements.
  var count: Int { get }

  /// The elements at a range of positions.
  ///
  /// - Precondition: The range is within the collection.
  /// - Complexity: O(k log n) for k elements.
  func windowed(_ range: Range<Int>) -> Self

  /// Returns true if the elements at a range of positions have other bytes than those of another version.
  ///
  /// - Precondition: The range is within both versions.
  /// - Complexity: O(k) for k elements at most. Versions of one identified array that share these elements are compared
  ///   in O(log n) for each of their leaves.
  func differs(from base: Self, in range: Range<Int>) -> Bool
}

extension IdentifiedArray: WindowedCollection
where Element: Replicated & Identifiable, ID == Element.ID, ID: WireValue {
  /// The elements at a range of positions. - Complexity: O(k log n) for k elements.
  public func windowed(_ range: Range<Int>) -> Self { Self(self[range]) }

  /// Returns true if elements differ.
  /// - Complexity: O(log n) for each leaf of the range, plus O(1) for each element in leaves that are not shared.
  public func differs(from base: Self, in range: Range<Int>) -> Bool {
    !agrees(with: base, in: range) { !$0.differs(from: $1) }
  }
}

extension Array: WindowedCollection where Element: Replicated {
  /// The elements at a range of positions. - Complexity: O(k) for k elements.
  public func windowed(_ range: Range<Int>) -> Self { Array(self[range]) }

  /// Returns true if elements differ. - Complexity: O(k) for k elements; O(1) for copies of one array.
  public func differs(from base: Self, in range: Range<Int>) -> Bool {
    !Identical.bits(self, base) && range.contains { self[$0].differs(from: base[$0]) }
  }
}

extension WindowedCollection {
  /// The window for the last step of a path; nil for another step, or if further steps follow.
  package func window(at path: ArraySlice<PathStep>) -> (any Replicated)? {
    guard path.count == 1, case .window(let start, let count) = path.first else { return nil }
    return Window(of: self, from: start, count: count)
  }
}
