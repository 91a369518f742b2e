/// The number of elements with one key, in a view of the groups of a collection.
///
/// ```swift
/// let states = ViewName<IdentifiedArrayOf<GroupCount<Bool>>>("states")
/// ```
@Replicated
public struct GroupCount<Key: Hashable>: Equatable, Identifiable {
  /// The key.
  public let id: Key
  /// The number of elements; more than 0.
  public var count: Int

  /// Creates the number of a group.
  public init(id: Key, count: Int) { (self.id, self.count) = (id, count) }
}

extension GroupCount: Sendable where Key: Sendable {}
