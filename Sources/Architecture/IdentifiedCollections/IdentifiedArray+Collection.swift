extension IdentifiedArray: RandomAccessCollection {
  /// The first position, 0.
  @inlinable
  public var startIndex: Int { 0 }

  /// The position after the last.
  @inlinable
  public var endIndex: Int { tree.count }

  /// The number of elements.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var count: Int { tree.count }

  /// The position after `i`.
  @inlinable
  public func index(after i: Int) -> Int { i + 1 }

  /// The position before `i`.
  @inlinable
  public func index(before i: Int) -> Int { i - 1 }

  /// Iterates over the elements from first to last.
  ///
  /// - Complexity: O(1) for each element, amortised.
  @inlinable
  public func makeIterator() -> Iterator {
    Iterator(self)
  }

  /// Iterates over the elements of an identified array, as they were when the iteration began.
  public struct Iterator: IteratorProtocol {
    @usableFromInline let tree: OrderTree
    @usableFromInline var elements: UnsafeMutablePointer<Element>?
    @usableFromInline var remaining = 0
    @usableFromInline var position = 0

    @inlinable
    init(_ array: IdentifiedArray) {
      tree = array.tree
    }

    /// The next element; `nil` after the last.
    @inlinable
    public mutating func next() -> Element? {
      if remaining == 0 && !nextLeaf() { return nil }
      remaining -= 1
      defer { elements = elements.unsafelyUnwrapped + 1 }
      return elements.unsafelyUnwrapped.pointee
    }

    @inlinable
    mutating func nextLeaf() -> Bool {
      guard position < tree.count else { return false }
      (elements, remaining) = tree.leaf(at: position).leaf._withUnsafeGuaranteedRef { leaf in
        (unsafeDowncast(leaf, to: Leaf<ID, Element>.self).elements, leaf.count)
      }
      position += remaining
      return true
    }
  }

  /// The elements as an array.
  ///
  /// - Complexity: O(n).
  @inlinable
  public var elements: [Element] { Array(self) }
}
