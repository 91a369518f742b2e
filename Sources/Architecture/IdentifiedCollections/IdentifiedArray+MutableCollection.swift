extension IdentifiedArray: MutableCollection {}

extension IdentifiedArray: RangeReplaceableCollection where Element: Identifiable, ID == Element.ID {
  /// Replaces the elements of a range of positions.
  ///
  /// A new element whose id exists in the rest of the array replaces the element there. New ones with the same id become
  /// one element, with the position of the last and the value of the first.
  ///
  /// - Precondition: the range is within the array.
  /// - Complexity: O(k log n) for k elements removed or inserted, amortised.
  @inlinable
  public mutating func replaceSubrange(_ subrange: Range<Int>, with newElements: some Collection<Element>) {
    removeSubrange(subrange)
    for element in newElements.reversed() { _ = updateOrInsert(element, orAt: subrange.lowerBound) }
  }
}
