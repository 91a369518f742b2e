extension IdentifiedArray {
  /// Whether two arrays are copies of one and neither has changed since; false says nothing.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func isIdentical(to other: Self) -> Bool {
    tree.root === other.tree.root
  }
}
