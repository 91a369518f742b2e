internal import IssueReporting

/// Reads a dependency where it is used.
///
/// ```swift
/// struct Counter: Reducer {
///   @Dependency(\.continuousClock) var clock
///   @Dependency(NumberFactClient.self) var numberFact
/// ```
///
/// The value is the one of the task that reads it; overrides that were in force where the property was created
/// hold too, unless the reading task overrides them again.
@propertyWrapper
public struct Dependency<Value>: Sendable, HasInitialDependencies {
  let initialDependencies: DependencyValues
  private let keyPath: any KeyPath<DependencyValues, Value> & Sendable
  private let place: IssueLocation

  /// Reads the dependency that `keyPath` names.
  public init(
    _ keyPath: any KeyPath<DependencyValues, Value> & Sendable,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    initialDependencies = DependencyValues.current
    self.keyPath = keyPath
    place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads the dependency whose key is a type.
  public init<Key: TestDependencyKey>(
    _ key: Key.Type,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where Key.Value == Value {
    self.init(\DependencyValues[key: KeyType(key)], fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// The value now.
  public var wrappedValue: Value {
    DependencyValues.$access.withValue(DependencyAccess(place: place)) {
      initialDependencies.merging(DependencyValues.current)[keyPath: keyPath]
    }
  }
}

/// A key's type as a hashable value, so that it can stand in a key path's subscript.
private struct KeyType<Key: TestDependencyKey>: Hashable, Sendable {
  init(_: Key.Type) {}
}

extension DependencyValues {
  fileprivate subscript<Key: TestDependencyKey>(key _: KeyType<Key>) -> Key.Value { self[Key.self, function: ""] }
}
