extension IdentifiedArray {
  /// The hash of the elements' hashes in order. It is the same for the same elements, regardless of the array's
  /// history.
  ///
  /// It is the sum of `elementHash(e[i]) * B^(n-1-i)` modulo 2⁶¹ − 1, where B is 0x13c6ef372fe94f8e, and 0 for no
  /// elements. It does not include the number of elements. It detects accidental differences, not deliberate
  /// collisions.
  ///
  /// The nodes of the tree cache their hashes, which versions share with the nodes.
  /// - Parameter elementHash: the hash of an element. It must depend only on the element, and be the same function at
  ///   every call for one type of elements, because earlier results are cached.
  /// - Complexity: O(n) the first time, O(k log n) after k changes, with up to 65 calls of `elementHash` for each
  ///   change; O(1) without changes.
  package func sequenceHash(of elementHash: (Element) -> UInt64) -> UInt64 {
    tree.sequenceHash { leaf in
      let leaf = unsafeDowncast(leaf, to: Leaf<ID, Element>.self)
      var hash: UInt64 = 0
      for slot in 0..<leaf.count { hash = SequenceHash.appending(elementHash(leaf.elements[slot]), to: hash) }
      return hash
    }
  }
}
