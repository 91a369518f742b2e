extension IdentifiedArray {
  /// The hash of the elements' hashes in their order, the same for the same elements whatever became of the array before.
  ///
  /// It is the sum of `elementHash(e[i]) * B^(n-1-i)` modulo 2⁶¹ − 1, where B is 0x13c6ef372fe94f8e, and 0 for no elements. It
  /// does not say how many elements there are. It finds out what differs by accident, not by intent: whoever chooses
  /// hashes freely can choose others with the same sum.
  ///
  /// The nodes of the tree keep their hashes, and versions share them with the nodes.
  /// - Parameter elementHash: the hash of an element. It must depend on nothing but the element, and be the same function
  ///   at every call for one type of elements, since what an earlier call has found is not asked for again.
  /// - Complexity: O(n) the first time, O(k log n) after k changes, with up to 65 calls of `elementHash` for each change; O(1)
  ///   after none.
  package func sequenceHash(of elementHash: (Element) -> UInt64) -> UInt64 {
    tree.sequenceHash { leaf in
      let leaf = unsafeDowncast(leaf, to: Leaf<ID, Element>.self)
      var hash: UInt64 = 0
      for slot in 0..<leaf.count { hash = SequenceHash.appending(elementHash(leaf.elements[slot]), to: hash) }
      return hash
    }
  }
}
