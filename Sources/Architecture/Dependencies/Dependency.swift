internal import IssueReporting

/// Reads a dependency where it is used.
///
/// ```swift
/// struct Counter: Reducer {
///   @Dependency(\.continuousClock) var clock
///   @Dependency(NumberFactClient.self) var numberFact
/// ```
///
/// The value is that of the reading task. Overrides from the place where the property was created also apply, unless
/// the reading task overrides them again.
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
    initialDependencies = DependencyValues._current
    self.keyPath = keyPath
    place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads the dependency of a key.
  public init<Key: TestDependencyKey>(
    _ key: Key.Type,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where Key.Value == Value {
    self.init(\DependencyValues[key: KeyType(key)], fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads the dependency that `keyPath` names, with an explicit type.
  public init(
    _ keyPath: any KeyPath<DependencyValues, Value> & Sendable, as type: Value.Type,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(keyPath, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads the dependency that `keyPath` names as one of its concrete types.
  ///
  /// ```swift
  /// @Dependency(\.database, as: SQLiteDatabase.self) var database   // `database` is an `any Database`
  /// ```
  ///
  /// - Precondition: The dependency's value is of that type.
  @_disfavoredOverload
  public init<Base>(
    _ keyPath: any KeyPath<DependencyValues, Base> & Sendable, as type: Value.Type,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      \DependencyValues[CastPath<Base, Value>(keyPath)], fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads the dependency of a key, with an explicit type.
  public init<Key: TestDependencyKey>(
    _ key: Key.Type, as type: Value.Type,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where Key.Value == Value {
    self.init(key, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Reads the dependency of a key as one of its concrete types.
  ///
  /// - Precondition: The dependency's value is of that type.
  @_disfavoredOverload
  public init<Key: TestDependencyKey>(
    _ key: Key.Type, as type: Value.Type,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      \DependencyValues[key: KeyType(key)], as: type, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// The current value.
  public var wrappedValue: Value {
    DependencyValues.$access.withValue(DependencyAccess(place: place)) {
      guard !initialDependencies.isEmpty else { return DependencyValues._current[keyPath: keyPath] }
      let values = initialDependencies.merging(DependencyValues._current)
      // A key that reads other dependencies to create its value must also see the initial ones.
      return DependencyValues.$_current.withValue(values) { values[keyPath: keyPath] }
    }
  }
}

/// The key path of a dependency that is read as another type.
private struct CastPath<Base, Value>: Hashable, Sendable {
  let keyPath: any KeyPath<DependencyValues, Base> & Sendable

  init(_ keyPath: any KeyPath<DependencyValues, Base> & Sendable) {
    self.keyPath = keyPath
  }

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.keyPath as AnyKeyPath == rhs.keyPath as AnyKeyPath }
  func hash(into hasher: inout Hasher) { hasher.combine(keyPath as AnyKeyPath) }
}

/// A key's type as a hashable value, for use in a key path's subscript.
private struct KeyType<Key: TestDependencyKey>: Hashable, Sendable {
  init(_: Key.Type) {}
}

extension DependencyValues {
  fileprivate subscript<Base, Value>(path: CastPath<Base, Value>) -> Value {
    let base = self[keyPath: path.keyPath]
    guard let value = base as? Value else {
      preconditionFailure("The dependency is a \(type(of: base)), not a \(Value.self)")
    }
    return value
  }

  fileprivate subscript<Key: TestDependencyKey>(key _: KeyType<Key>) -> Key.Value { self[Key.self, function: ""] }
}
