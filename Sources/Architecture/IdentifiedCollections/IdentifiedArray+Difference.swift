extension IdentifiedArray {
  /// A step from one version of an array to another.
  public enum Change {
    /// The element was removed; `offset` is its position in the base.
    case remove(id: ID, element: Element, offset: Int)
    /// The element was inserted; `offset` is its position in the result.
    case insert(id: ID, element: Element, offset: Int)
    /// The element was moved relative to those that stayed; the positions are those in the base and in the result.
    case move(id: ID, from: Int, to: Int)
    /// The element has another value with the same id; `offset` is its position in the result.
    case update(id: ID, old: Element, new: Element, offset: Int)
  }

  /// Visits the changes since `base`, an older or otherwise different version of this array.
  ///
  /// All removals come first, in descending order of positions; then insertions and moves in ascending order of
  /// positions in the result; then updates in the same order. To create the result from the base, remove all removed
  /// and moved elements, then insert the inserted and moved ones in the order of the visit, then update. Within a
  /// stretch of changed leaves, as few of the kept elements as possible are reported as moved. An element that moved
  /// and changed is visited twice.
  ///
  /// Nodes that both versions share are skipped without visiting their elements. Arrays without shared nodes may be
  /// compared as well.
  /// - Parameters:
  ///   - base: the version to compare with.
  ///   - areEquivalent: returns true if an element still has the same value.
  ///   - visit: receives the changes.
  /// - Complexity: O(k log n) for k changes between versions that share their nodes, O(n log n) for others.
  @inlinable
  public func visitChanges(
    from base: Self, by areEquivalent: (Element, Element) throws -> Bool, _ visit: (Change) throws -> Void
  ) rethrows {
    guard let changed = tree.changedLeaves(from: base.tree) else { return }
    if changed.old.isEmpty && changed.new.isEmpty { return }
    let old = Self.entries(changed.old)
    let new = Self.entries(changed.new)
    let match = Self.match(old, new)

    for (entry, match) in zip(old, match.newOfOld).reversed() where match < 0 {
      try visit(.remove(id: entry.id, element: entry.element, offset: entry.position))
    }
    for (entry, oldIndex) in zip(new, match.oldOfNew) {
      if oldIndex < 0 {
        try visit(.insert(id: entry.id, element: entry.element, offset: entry.position))
      } else if !match.stays[oldIndex] {
        try visit(.move(id: entry.id, from: old[oldIndex].position, to: entry.position))
      }
    }
    for (entry, oldIndex) in zip(new, match.oldOfNew) where oldIndex >= 0 {
      let before = old[oldIndex]
      // In place: a copy of each would count references in memory that is not cached.
      guard try !areEquivalent(before.leaf.elements[before.slot], entry.leaf.elements[entry.slot]) else { continue }
      try visit(.update(id: entry.id, old: before.element, new: entry.element, offset: entry.position))
    }
  }

  /// Returns true if this array has the ids of `base` in the same order, and `isSame` is true for each element of
  /// `base` and its counterpart.
  ///
  /// - Complexity: O(k log n) for k changes between versions that share their nodes, O(n) for others.
  package func holdsTheSame(as base: Self, by isSame: (Element, Element) -> Bool) -> Bool {
    if tree.root === base.tree.root { return true }
    guard count == base.count, let changed = tree.changedLeaves(from: base.tree, shared: { $0 == $1 }) else {
      return false
    }
    // The leaves of the two versions may end at different elements.
    var (leaf, slot) = (0, 0)
    for new in changed.new {
      let new = unsafeDowncast(new.leaf, to: Leaf<ID, Element>.self)
      for newSlot in 0..<new.count {
        while leaf < changed.old.count, slot == changed.old[leaf].leaf.count { (leaf, slot) = (leaf + 1, 0) }
        guard leaf < changed.old.count else { return false }
        let old = unsafeDowncast(changed.old[leaf].leaf, to: Leaf<ID, Element>.self)
        guard isSame(old.elements[slot], new.elements[newSlot]), old.ids[slot] == new.ids[newSlot] else { return false }
        slot += 1
      }
    }
    return true
  }

  /// An element of a changed leaf, valid as long as both versions are.
  @usableFromInline
  struct Entry {
    @usableFromInline unowned(unsafe) let leaf: Leaf<ID, Element>
    @usableFromInline let slot: Int
    @usableFromInline let position: Int
    @usableFromInline let gap: Int

    @inlinable
    init(_ changed: ChangedLeaf, slot: Int) {
      leaf = unsafeDowncast(changed.leaf, to: Leaf<ID, Element>.self)
      self.slot = slot
      position = changed.start + slot
      gap = changed.gap
    }

    @inlinable var id: ID { leaf.ids[slot] }
    @inlinable var element: Element { leaf.elements[slot] }

    /// Returns true if the two have the same id in the same gap.
    @inlinable
    func isSame(as other: Entry) -> Bool {
      gap == other.gap && leaf.hashes[slot] == other.leaf.hashes[other.slot] && id == other.id
    }
  }

  @inlinable
  static func entries(_ leaves: [ChangedLeaf]) -> [Entry] {
    var entries: [Entry] = []
    entries.reserveCapacity(leaves.reduce(0) { $0 + $1.leaf.count })
    for leaf in leaves { for slot in 0..<leaf.leaf.count { entries.append(Entry(leaf, slot: slot)) } }
    return entries
  }

  /// The number of elements to look ahead for one that fits, where two versions differ.
  @inlinable static var reach: Int { 8 }

  /// Matches entries with the same id, and determines the old ones that need not move.
  ///
  /// Shared leaves do not move. An element therefore stays only if it is in the same gap between them, and of the
  /// elements in one gap, the longest increasing sequence stays. Gaps increase in both versions, so one search finds
  /// the sequences of all gaps.
  @inlinable
  static func match(_ old: [Entry], _ new: [Entry]) -> (newOfOld: [Int], oldOfNew: [Int], stays: [Bool]) {
    var newOfOld = [Int](repeating: -1, count: old.count)
    var oldOfNew = [Int](repeating: -1, count: new.count)
    func match(_ oldIndex: Int, _ newIndex: Int) {
      newOfOld[oldIndex] = newIndex
      oldOfNew[newIndex] = oldIndex
    }
    // Most elements are where they were, apart from a few between them that came or went. Only the others are looked up.
    var (oldEnd, newEnd) = (old.count, new.count)
    while oldEnd > 0, newEnd > 0, old[oldEnd - 1].isSame(as: new[newEnd - 1]) {
      (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
      match(oldEnd, newEnd)
    }
    var (oldIndex, newIndex) = (0, 0)
    while oldIndex < oldEnd, newIndex < newEnd {
      let (before, after) = (old[oldIndex], new[newIndex])
      if before.isSame(as: after) {
        match(oldIndex, newIndex)
      } else if let gone = (1...reach).first(where: {
        oldIndex + $0 < oldEnd && old[oldIndex + $0].isSame(as: after)
      }) {
        oldIndex += gone
        continue
      } else if let come = (1...reach).first(where: {
        newIndex + $0 < newEnd && before.isSame(as: new[newIndex + $0])
      }) {
        newIndex += come
        continue
      }
      (oldIndex, newIndex) = (oldIndex + 1, newIndex + 1)
    }
    var stays = newOfOld.map { $0 >= 0 }
    if matchRest(old[..<oldEnd], new[..<newEnd], &newOfOld, &oldOfNew) {
      let candidates = old.indices.filter { newOfOld[$0] >= 0 && old[$0].gap == new[newOfOld[$0]].gap }
      stays = [Bool](repeating: false, count: old.count)
      for candidate in longestRisingSubsequence(of: candidates.map { newOfOld[$0] }) {
        stays[candidates[candidate]] = true
      }
    }
    return (newOfOld, oldOfNew, stays)
  }

  /// Looks up the entries that are not matched yet. Returns true if one was found, so elements may have moved.
  @inlinable
  static func matchRest(
    _ old: ArraySlice<Entry>, _ new: ArraySlice<Entry>, _ newOfOld: inout [Int], _ oldOfNew: inout [Int]
  ) -> Bool {
    var oldIndices: [ID: Int] = [:]
    for index in old.indices where newOfOld[index] < 0 { oldIndices[old[index].id] = index }
    guard !oldIndices.isEmpty else { return false }
    var hasMatched = false
    for index in new.indices where oldOfNew[index] < 0 {
      guard let oldIndex = oldIndices[new[index].id] else { continue }
      (newOfOld[oldIndex], oldOfNew[index]) = (index, oldIndex)
      hasMatched = true
    }
    return hasMatched
  }
}

extension IdentifiedArray where Element: Equatable {
  /// Visits the changes since `base`, in the order of ``visitChanges(from:by:_:)``.
  ///
  /// - Complexity: O(k log n) for k changes between versions that share their nodes, O(n log n) for others.
  @inlinable
  public func visitChanges(from base: Self, _ visit: (Change) throws -> Void) rethrows {
    try visitChanges(from: base, by: ==, visit)
  }
}

extension IdentifiedArray.Change: Equatable where Element: Equatable {}
extension IdentifiedArray.Change: Sendable where ID: Sendable, Element: Sendable {}
