extension IdentifiedArray: Equatable where Element: Equatable {
  /// Returns true if two arrays have equal elements in the same order.
  ///
  /// - Complexity: O(n); for versions of one array, O(unshared elements).
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool {
    if lhs.tree.root === rhs.tree.root { return true }
    guard lhs.count == rhs.count,
      let changed = rhs.tree.changedLeaves(from: lhs.tree, shared: { $0 == $1 })
    else { return false }
    return LeafElements(changed.old).elementsEqual(LeafElements(changed.new))
  }

  /// The elements of several leaves in sequence.
  @usableFromInline
  struct LeafElements: Sequence, IteratorProtocol {
    @usableFromInline let leaves: [ChangedLeaf]
    @usableFromInline var leaf = 0
    @usableFromInline var slot = 0

    @inlinable
    init(_ leaves: [ChangedLeaf]) {
      self.leaves = leaves
    }

    @inlinable
    mutating func next() -> Element? {
      while leaf < leaves.count {
        let current = unsafeDowncast(leaves[leaf].leaf, to: Leaf<ID, Element>.self)
        if slot < current.count {
          slot += 1
          return current.elements[slot - 1]
        }
        leaf += 1
        slot = 0
      }
      return nil
    }
  }
}

extension IdentifiedArray: Hashable where Element: Hashable {
  /// Hashes the elements in order.
  ///
  /// - Complexity: O(n).
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for element in self { hasher.combine(element) }
  }
}
