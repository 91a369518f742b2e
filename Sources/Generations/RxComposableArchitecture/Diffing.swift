public import Foundation

/// An element with an identity, for ``DiffingInterfaceList``.
public protocol HashDiffable: Identifiable {
  /// Returns true if two elements with the same identity look the same.
  func isEqual(to source: Self) -> Bool
}

extension HashDiffable where Self: Equatable {
  /// Returns true if two elements are equal.
  public func isEqual(to source: Self) -> Bool { self == source }
}

/// A type-erased diffable element.
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

/// The difference of two lists of identifiable elements: insertions, updates, deletions and moves.
public enum DiffingInterfaceList {
  /// The old and the new index of an element that was moved relative to others.
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

  /// The changes from one list to another. Deletions, updates and the starts of moves are indices of the old list;
  /// insertions and the ends of moves are indices of the new one.
  public struct Result {
    /// The inserted elements.
    public var inserts = IndexSet()
    /// The elements that look different.
    public var updates = IndexSet()
    /// The deleted elements.
    public var deletes = IndexSet()
    /// The moved elements.
    public var moves: [MoveIndex] = []
    /// The old indices by identity.
    public var oldMap: [AnyHashable: Int] = [:]
    /// The new indices by identity.
    public var newMap: [AnyHashable: Int] = [:]

    /// True if there are any changes.
    public var hasChanges: Bool { changeCount > 0 }
    /// The number of changes.
    public var changeCount: Int { inserts.count + deletes.count + updates.count + moves.count }
    /// Returns the old index of an identity.
    public func oldIndexFor(identifier: AnyHashable) -> Int? { oldMap[identifier] }
    /// Returns the new index of an identity.
    public func newIndexFor(identifier: AnyHashable) -> Int? { newMap[identifier] }

    /// Returns the changes for a list view, with deletions and insertions in place of updates.
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

  /// Returns the difference of two lists. Elements with the same identity are matched in order.
  ///
  /// - Complexity: O(elements).
  public static func diffing<T: Identifiable & Equatable>(oldArray: [T], newArray: [T]) -> Result {
    difference(oldArray, newArray) { $0 == $1 }
  }

  /// Returns the difference of two lists of diffable elements.
  ///
  /// - Complexity: O(elements).
  public static func diffing<T: HashDiffable>(oldArray: [T], newArray: [T]) -> Result {
    difference(oldArray, newArray) { $0.isEqual(to: $1) }
  }

  /// Returns the difference of two lists of diffable elements.
  ///
  /// - Complexity: O(elements).
  public static func diffing<T: HashDiffable & Equatable>(oldArray: [T], newArray: [T]) -> Result {
    difference(oldArray, newArray) { $0 == $1 }
  }

  private static func difference<T: Identifiable>(
    _ old: [T], _ new: [T], _ isSame: (T, T) -> Bool
  ) -> Result {
    var result = Result()
    // The old indices of each identity, in reverse order.
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
      // The position that the element would have after only the deletions and insertions so far.
      if origin - deletedBefore[origin] + result.inserts.count != index {
        result.moves.append(MoveIndex(from: origin, to: index))
      }
    }
    return result
  }
}
