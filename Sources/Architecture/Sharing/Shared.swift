internal import CustomDump
internal import IssueReporting

/// A value that several parts of a program share: a reference with value semantics.
///
/// ```swift
/// struct State {
///   @Shared(.fileStorage(itemsFile)) var items: [Item] = []
///   @Shared(value: 0) var count
/// }
///
/// state.$count.withLock { $0 += 1 }
/// Child.State(first: state.$items[0])  // `@Shared var first: Item`
/// ```
///
/// It may be read on any thread. Changes are made under a lock, with ``withLock(_:fileID:filePath:line:column:)``.
/// Observation tracks it: `withObservationTracking` calls back after each change, even by another program through a
/// file. Two shared values are equal if their values are.
///
/// Inside the operation of `withLock`, other reads of the same reference return the value before the change.
@propertyWrapper
@dynamicMemberLookup
public struct Shared<Value> {
  let box: Box<any Location<Value>>

  var location: any Location<Value> { box.place }

  init(location: any Location<Value>) {
    box = Box(location)
  }

  /// Shares a value without a key.
  public init(
    value: sending Value,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      location: Cell(value, at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)))
  }

  /// Joins an existing share: `@Shared var item: Item` in a feature that receives `$items[0]`.
  public init(projectedValue: Shared<Value>) {
    self = projectedValue
  }

  /// The current value.
  ///
  /// To change it, prefer `$value.withLock`. Code of version 1 assigns it or changes it in place (`state.count += 1`).
  /// Such a change is a read and an assignment: changes by other threads between them are lost.
  public var wrappedValue: Value {
    get { location.read() }
    nonmutating set { location.withLock(at: location.root.place) { $0 = newValue } }
  }

  /// The share itself, to pass on or to change. Assigning another one makes this share and its copies refer to that.
  public var projectedValue: Shared<Value> {
    get {
      location.root.access()
      return self
    }
    nonmutating set { point(to: newValue.location) }
  }

  func point(to location: any Location<Value>) {
    let old = box.place
    box.place = location
    if old.root !== location.root { old.root.touch() }
  }

  /// Changes the value under the lock of its reference, then saves it and notifies all observers.
  ///
  /// If the operation throws, its changes until then remain.
  ///
  /// Complexity: O(1) and one copy of what the operation changes, which is O(*n*) for an array or a dictionary and
  /// O(log *n*) for an `IdentifiedArray`: the value before is kept for reads inside the operation.
  ///
  /// - Parameter operation: Changes the value. It must be short. Inside it, other reads of the same reference return
  ///   the value before the change; other changes of the reference are reported as issues and have no effect.
  public func withLock<R>(
    _ operation: (inout Value) throws -> R,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) rethrows -> R {
    try location.withLock(
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column), operation)
  }
}

extension Shared: Sendable where Value: Sendable {}

extension Shared: Equatable where Value: Equatable {
  /// Returns true if the values are equal. During a test's assertion, the value before is compared with the value after
  /// if both are one reference.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    guard SharedChangeTracker.asserting != nil, lhs.location.root === rhs.location.root else {
      return lhs.wrappedValue == rhs.wrappedValue
    }
    return lhs.location.read() == rhs.location.readCurrent()
  }
}

extension Shared: Identifiable where Value: Identifiable {
  /// The identity of the value.
  public var id: Value.ID { wrappedValue.id }
}

extension Shared: CustomStringConvertible {
  /// The type, and the key or the value.
  public var description: String {
    let key = (location as? Cell<Value>)?.backing?.describe()
    return "\(typeName(Self.self, generics: true))(\(key ?? "value: \(String(reflecting: location.readCurrent()))"))"
  }
}
