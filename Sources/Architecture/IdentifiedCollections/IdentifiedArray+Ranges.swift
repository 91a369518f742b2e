extension IdentifiedArray {
  /// Returns true if another version has the same elements at a range of positions.
  ///
  /// Elements in leaves that both versions share, at the same place, are not compared.
  ///
  /// - Parameters:
  ///   - other: The other version.
  ///   - range: Positions that both versions have.
  ///   - areEqual: Compares two elements.
  /// - Complexity: O(log n) for each leaf of the range, plus a comparison for each of its elements in leaves that are not
  ///   shared; O(1) for copies of one array.
  @inlinable
  package func agrees(
    with other: Self, in range: Range<Int>, by areEqual: (Element, Element) -> Bool
  ) -> Bool {
    if isIdentical(to: other) { return true }
    Swift.precondition(
      range.lowerBound >= 0 && range.upperBound <= count && range.upperBound <= other.count, "Range out of bounds")
    var position = range.lowerBound
    while position < range.upperBound {
      let (here, slot) = tree.leaf(at: position)
      let (there, otherSlot) = other.tree.leaf(at: position)
      let isShared = here.toOpaque() == there.toOpaque() && slot == otherSlot
      let rest = Swift.min(here.count(after: slot), there.count(after: otherSlot), range.upperBound - position)
      if !isShared {
        let mine = here._withUnsafeGuaranteedRef { Slot<ID, Element>($0, slot).element }
        let others = there._withUnsafeGuaranteedRef { Slot<ID, Element>($0, otherSlot).element }
        for offset in 0..<rest where !areEqual(mine[offset], others[offset]) { return false }
      }
      position += rest
    }
    return true
  }
}

extension Unmanaged where Instance == AnyLeaf {
  /// The number of elements from a slot to the end of the leaf.
  @inlinable
  func count(after slot: Int) -> Int { _withUnsafeGuaranteedRef { $0.count - slot } }
}
