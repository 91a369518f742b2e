public import IdentifiedCollections

/// The elements of a list or a table, of which only the visible ones are read.
///
/// A collection of a store's children, an `IdentifiedArray`, and every collection of identifiable elements can be used
/// without writing one. A type of one's own can read elements as they are needed, for example a window of a hub's list.
/// A table is drawn again when observable values have changed that `count`, or a visible id or row, has read.
@MainActor
public protocol RowSource<ID, Row> {
  /// The identities of elements.
  associatedtype ID: Hashable
  /// The elements.
  associatedtype Row

  /// The number of elements.
  var count: Int { get }

  /// Returns the element at an offset below `count`.
  func row(at offset: Int) -> Row

  /// Returns the identity of the element at an offset below `count`.
  func id(at offset: Int) -> ID

  /// Returns the present offset of an element; nil if there is none with the id.
  ///
  /// - Parameters:
  ///   - id: The id of the element.
  ///   - near: The offset at which the element was last.
  func offset(of id: ID, near: Int) -> Int?
}

extension RowSource {
  /// Looks at the offset at which the element was, and then on both sides of it.
  /// - Complexity: O(distance from `near`), and O(`count`) if there is no such element.
  public func offset(of id: ID, near: Int) -> Int? {
    let count = count
    guard count > 0 else { return nil }
    let start = max(min(near, count - 1), 0)
    for distance in 0...max(start, count - 1 - start) {
      if start - distance >= 0, self.id(at: start - distance) == id { return start - distance }
      if start + distance < count, self.id(at: start + distance) == id { return start + distance }
    }
    return nil
  }
}

extension StoreCollection: RowSource {
  /// Returns the element at an offset.
  public func row(at offset: Int) -> Store<State, Action> { self[offset] }
  /// Returns the id of the element at an offset.
  public func id(at offset: Int) -> ID { id(atPosition: offset) }
  /// Returns the offset of an element.
  public func offset(of id: ID, near: Int) -> Int? { position(of: id) }
}

/// A source that is a value: its rows are those of the time at which the view around the table was evaluated.
protocol SnapshotRows {}

extension IdentifiedArray: SnapshotRows {}
extension CollectionRows: SnapshotRows {}

extension IdentifiedArray: RowSource {
  /// Returns the element at an offset.
  public func row(at offset: Int) -> Element { self[offset] }
  /// Returns the id of the element at an offset.
  public func id(at offset: Int) -> ID { self[offset][keyPath: self.id] }
  /// Returns the offset of an element.
  public func offset(of id: ID, near: Int) -> Int? { index(id: id) }
}

/// The elements of any collection, with a key path to their ids.
public struct CollectionRows<Data: RandomAccessCollection, ID: Hashable>: RowSource {
  private let data: Data
  private let path: KeyPath<Data.Element, ID>

  /// Creates the source of a collection.
  public init(_ data: Data, id: KeyPath<Data.Element, ID>) { (self.data, path) = (data, id) }

  /// The number of elements.
  public var count: Int { data.count }
  /// Returns the element at an offset.
  public func row(at offset: Int) -> Data.Element { data[data.index(data.startIndex, offsetBy: offset)] }
  /// Returns the id of the element at an offset.
  public func id(at offset: Int) -> ID { row(at: offset)[keyPath: path] }
}
