extension IdentifiedArray: MutableCollection {}

extension IdentifiedArray: RangeReplaceableCollection where Element: Identifiable, ID == Element.ID {
  /// Replaces the elements of a range of positions.
  ///
  /// A new element whose id exists in the rest of the array replaces the element there. Of two new ones with the same
  /// id, the first keeps its position and gets the value of the second.
  ///
  /// - Precondition: the range is within the array.
  /// - Complexity: O(k log n) for k elements removed or inserted, amortised.
  @inlinable
  public mutating func replaceSubrange(_ subrange: Range<Int>, with newElements: some Collection<Element>) {
    removeSubrange(subrange)
    var position = subrange.lowerBound
    for element in newElements where updateOrInsert(element, orAt: position).originalMember == nil { position += 1 }
  }
}
