extension IdentifiedArray {
  /// The ids in order.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var ids: IDs { IDs(self) }

  /// The ids of an identified array in order: an ordered set.
  public struct IDs: RandomAccessCollection {
    @usableFromInline let source: Source

    /// The source of the ids: an array, or a literal for a comparison.
    @usableFromInline
    enum Source {
      case array(IdentifiedArray)
      case literal([ID])
    }

    @inlinable
    init(_ array: IdentifiedArray) {
      source = .array(array)
    }

    /// The ids as an array.
    ///
    /// - Complexity: O(n).
    public var elements: [ID] { Array(self) }

    /// The first position, 0.
    @inlinable
    public var startIndex: Int { 0 }

    /// The position after the last.
    @inlinable
    public var endIndex: Int {
      switch source {
      case .array(let array): array.tree.count
      case .literal(let ids): ids.count
      }
    }

    /// The id at `position`.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public subscript(position: Int) -> ID {
      switch source {
      case .array(let array):
        array.precondition(isPosition: position)
        return array.slot(at: position).id.pointee
      case .literal(let ids):
        return ids[position]
      }
    }

    /// Returns true if there is an element with this id.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public func contains(_ id: ID) -> Bool {
      switch source {
      case .array(let array): array.place(of: id) != nil
      case .literal(let ids): ids.contains(id)
      }
    }

    /// The position of an id; `nil` if it is missing.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public func firstIndex(of id: ID) -> Int? {
      switch source {
      case .array(let array): array.index(id: id)
      case .literal(let ids): ids.firstIndex(of: id)
      }
    }

    /// The position of an id; `nil` if it is missing.
    ///
    /// - Complexity: O(log n).
    @inlinable
    public func lastIndex(of id: ID) -> Int? { firstIndex(of: id) }
  }
}

extension IdentifiedArray.IDs: Equatable {
  /// Returns true if two arrays have the same ids in the same order.
  ///
  /// - Complexity: O(n).
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool {
    if case .array(let lhs) = lhs.source, case .array(let rhs) = rhs.source, lhs.isIdentical(to: rhs) { return true }
    return lhs.count == rhs.count && lhs.elementsEqual(rhs)
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

extension IdentifiedArray.IDs: ExpressibleByArrayLiteral {
  /// Ids for comparisons: `array.ids == [1, 2, 3]`. Duplicates are dropped.
  public init(arrayLiteral elements: ID...) {
    var known: Set<ID> = []
    source = .literal(elements.filter { known.insert($0).inserted })
  }
}

extension IdentifiedArray.IDs: CustomStringConvertible {
  /// The ids, printed like an array.
  public var description: String { Array(self).description }
}
