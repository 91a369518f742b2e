extension IdentifiedArray {
  /// Returns the first violated invariant of the structure; `nil` if there is none.
  ///
  /// - Complexity: O(n).
  package func checkInvariants() -> String? {
    if let violation = tree.firstViolation() { return violation }
    for position in 0..<count {
      let slot = slot(at: position)
      if identify(slot.element.pointee) != slot.id.pointee { return "a wrong id at \(position)" }
      if Self.hash(slot.id.pointee) != slot.hash.pointee { return "a wrong hash at \(position)" }
      if index(id: slot.id.pointee) != position { return "the id at \(position) is not found there" }
    }
    return nil
  }

  /// The number of nodes that two versions do not share.
  package func nodesNotShared(with other: Self) -> Int {
    let changed = tree.changedLeaves(from: other.tree)
    return (changed?.old.count ?? 0) + (changed?.new.count ?? 0)
  }

  /// Removes the gaps between the labels of the leaves, so that each new leaf requires relabelling.
  ///
  /// - Parameter atEnd: true to use the highest labels, false to use the lowest.
  package mutating func squeezeLabels(atEnd: Bool) {
    tree.squeezeLabels(atEnd: atEnd)
  }
}
