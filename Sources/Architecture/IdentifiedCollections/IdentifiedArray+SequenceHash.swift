extension IdentifiedArray {
  /// The hash of the elements' hashes in order. It is the same for the same elements, regardless of the array's
  /// history.
  ///
  /// It is the sum of `h(e[i]) * B^(n-1-i)` for the elements' hashes `h` modulo 2⁶¹ − 1, where B is 0x13c6ef372fe94f8e, and 0 for no
  /// elements. It does not include the number of elements. It detects accidental differences, not deliberate
  /// collisions.
  ///
  /// The nodes of the tree cache their hashes, which versions share with the nodes.
  /// - Parameter leafHash: the hash (`SequenceHash.appending`) of up to 32 successive elements; nil to stop. It must
  ///   depend only on the elements, and be the same function at every call for one type of elements, because earlier
  ///   results are cached.
  /// - Returns: nil if `leafHash` stopped. The next call goes on there.
  /// - Complexity: O(n) the first time, O(k log n) after k changes, with up to two calls of `leafHash` for each change;
  ///   O(1) without changes.
  package func sequenceHash(ofLeaf leafHash: (UnsafeBufferPointer<Element>) -> UInt64?) -> UInt64? {
    tree.sequenceHash { leaf in
      let leaf = unsafeDowncast(leaf, to: Leaf<ID, Element>.self)
      return leafHash(UnsafeBufferPointer(start: leaf.elements, count: leaf.count))
    }
  }
}
