extension IdentifiedArray {
  /// The ids in order.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var ids: IDs { IDs(self) }

  /// The ids of an identified array in order, an ordered set.
  public struct IDs: RandomAccessCollection {
    @usableFromInline let array: IdentifiedArray

    @inlinable
    init(_ array: IdentifiedArray) {
      self.array = array
    }

    /// The first position, 0.
    @inlinable
    public var startIndex: Int { 0 }

    /// The position after the last.
    @inlinable
    public var endIndex: Int { array.tree.count }

    /// The id at `position`.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public subscript(position: Int) -> ID {
      array.precondition(isPosition: position)
      return array.slot(at: position).id.pointee
    }

    /// Whether there is an element with this id.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public func contains(_ id: ID) -> Bool {
      array.place(of: id) != nil
    }

    /// The position of an id, `nil` if it is not there.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public func firstIndex(of id: ID) -> Int? {
      array.index(id: id)
    }

    /// The position of an id, `nil` if it is not there.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public func lastIndex(of id: ID) -> Int? {
      array.index(id: id)
    }
  }
}

extension IdentifiedArray.IDs: Equatable {
  /// Whether two arrays have the same ids in the same order.
  ///
  /// - Complexity: O(n).
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.array.tree.root === rhs.array.tree.root || lhs.elementsEqual(rhs)
  }
}

extension IdentifiedArray.IDs: Hashable {
  /// Hashes the ids in order.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for id in self { hasher.combine(id) }
  }
}

extension IdentifiedArray.IDs: CustomStringConvertible {
  /// The ids as an array prints them.
  public var description: String { Array(self).description }
}
