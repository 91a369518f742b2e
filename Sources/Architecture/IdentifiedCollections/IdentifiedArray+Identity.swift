extension IdentifiedArray {
  /// Returns true if two arrays are unchanged copies of one. False is inconclusive.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func isIdentical(to other: Self) -> Bool {
    tree.root === other.tree.root
  }
}
