public import Foundation

/// An element with an identity, for ``DiffingInterfaceList``.
public protocol HashDiffable: Identifiable {
  /// Whether two elements of one identity look the same.
  func isEqual(to source: Self) -> Bool
}

extension HashDiffable where Self: Equatable {
  /// Whether two elements are equal.
  public func isEqual(to source: Self) -> Bool { self == source }
}

/// A diffable element without its type.
public struct AnyHashDiffable: HashDiffable, Equatable {
  /// The identity of the element.
  public let id: AnyHashable
  /// The element.
  public let base: Any
  private let isEqual: (Any) -> Bool

  /// Wraps an element.
  public init<Element: HashDiffable>(_ base: Element) {
    (id, self.base) = (base.id, base)
    isEqual = { ($0 as? Element).map(base.isEqual(to:)) ?? false }
  }

  /// Returns true if the elements have one type and identity and look the same.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.id == rhs.id && lhs.isEqual(rhs.base) }
}

/// The difference of two lists of elements with identities: what to insert, update, delete and move.
public enum DiffingInterfaceList {
  /// The old and the new index of an element that is elsewhere among the others.
  public struct MoveIndex: Equatable, Sendable {
    /// The index in the old list.
    public let from: Int
    /// The index in the new list.
    public let to: Int

    /// Creates a move.
    public init(from: Int, to: Int) {
      (self.from, self.to) = (from, to)
    }
  }

  /// The changes that lead from one list to another. Deletions, updates and the starts of moves are indices of the old
  /// list, insertions and the ends of moves those of the new one.
  public struct Result {
    /// The new elements.
    public var inserts = IndexSet()
    /// The elements that look different.
    public var updates = IndexSet()
    /// The elements that are gone.
    public var deletes = IndexSet()
    /// The elements that are elsewhere.
    public var moves: [MoveIndex] = []
    /// The old indices by identity.
    public var oldMap: [AnyHashable: Int] = [:]
    /// The new indices by identity.
    public var newMap: [AnyHashable: Int] = [:]

    /// Whether there is any change.
    public var hasChanges: Bool { changeCount > 0 }
    /// How many changes there are.
    public var changeCount: Int { inserts.count + deletes.count + updates.count + moves.count }
    /// The old index of an identity.
    public func oldIndexFor(identifier: AnyHashable) -> Int? { oldMap[identifier] }
    /// The new index of an identity.
    public func newIndexFor(identifier: AnyHashable) -> Int? { newMap[identifier] }

    /// The changes for a list view: deletions and insertions in the place of updates.
    public func forBatchUpdates() -> Result {
      var result = self
      for (id, index) in oldMap where updates.contains(index) {
        guard let newIndex = newMap[id] else { continue }
        result.deletes.insert(index)
        result.inserts.insert(newIndex)
        result.moves.removeAll { $0.from == index }
      }
      result.updates = []
      return result
    }
  }

  /// The difference of two lists. Of elements with one identity the first is compared with the first, and so on.
  ///
  /// - Complexity: O(elements).
  public static func diffing<T: Identifiable & Equatable>(oldArray: [T], newArray: [T]) -> Result {
    difference(oldArray, newArray) { $0 == $1 }
  }

  /// The difference of two lists of diffable elements.
  ///
  /// - Complexity: O(elements).
  public static func diffing<T: HashDiffable>(oldArray: [T], newArray: [T]) -> Result {
    difference(oldArray, newArray) { $0.isEqual(to: $1) }
  }

  /// The difference of two lists of diffable elements.
  ///
  /// - Complexity: O(elements).
  public static func diffing<T: HashDiffable & Equatable>(oldArray: [T], newArray: [T]) -> Result {
    difference(oldArray, newArray) { $0 == $1 }
  }

  private static func difference<T: Identifiable>(
    _ old: [T], _ new: [T], _ isSame: (T, T) -> Bool
  ) -> Result {
    var result = Result()
    // The old indices of each identity, the first one last.
    var candidates: [AnyHashable: [Int]] = [:]
    for (index, element) in old.enumerated().reversed() {
      candidates[element.id, default: []].append(index)
      result.oldMap[element.id] = result.oldMap[element.id] ?? index
    }
    var origins: [Int?] = []
    for (index, element) in new.enumerated() {
      origins.append(candidates[element.id]?.popLast())
      result.newMap[element.id] = index
    }
    for indices in candidates.values { result.deletes.formUnion(IndexSet(indices)) }

    var deletedBefore: [Int] = []
    for index in old.indices {
      deletedBefore.append((deletedBefore.last ?? 0) + (index > 0 && result.deletes.contains(index - 1) ? 1 : 0))
    }
    for (index, origin) in origins.enumerated() {
      guard let origin else {
        result.inserts.insert(index)
        continue
      }
      if !isSame(old[origin], new[index]) { result.updates.insert(origin) }
      // Where the element would be if only the deletions and the insertions so far had happened.
      if origin - deletedBefore[origin] + result.inserts.count != index {
        result.moves.append(MoveIndex(from: origin, to: index))
      }
    }
    return result
  }
}
