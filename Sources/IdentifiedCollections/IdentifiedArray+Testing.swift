extension IdentifiedArray {
  /// Says the first thing about the inner structure that is not as it must be, `nil` if all is well.
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

  /// How many nodes of the tree two versions do not share.
  package func nodesNotShared(with other: Self) -> Int {
    let changed = tree.changedLeaves(from: other.tree)
    return (changed?.old.count ?? 0) + (changed?.new.count ?? 0)
  }

  /// Leaves no room between the labels of the leaves, so that each leaf to come has to make some.
  ///
  /// - Parameter atEnd: whether the labels are the last there are, not the first.
  package mutating func squeezeLabels(atEnd: Bool) {
    tree.squeezeLabels(atEnd: atEnd)
  }
}
