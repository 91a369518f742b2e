public import Dependencies

/// A value for each test, created at the test's first access and kept until the process ends.
///
/// If no linked module knows the running test, the tests of a process share one value, unless they call
/// ``Dependencies/DependencyValues/isolateSharedState()``.
struct PerTest<Value: Sendable>: Sendable {
  private let values = Guarded<[AnyHashableSendable?: Value]>([:])
  private let make: @Sendable () -> Value

  init(_ make: @escaping @Sendable () -> Value) {
    self.make = make
  }

  var value: Value {
    let test = CurrentTest.id
    return values.withLock { values in
      if let value = values[test] { return value }
      let value = make()
      values[test] = value
      return value
    }
  }
}

extension DependencyValues {
  /// Gives these values their own references, memory, files and settings.
  ///
  /// Needed by tests in a process that cannot distinguish its tests:
  ///
  /// ```swift
  /// withDependencies { $0.isolateSharedState() } operation: { … }
  /// ```
  public mutating func isolateSharedState() {
    persistentReferences = PersistentReferences()
    defaultInMemoryStorage = InMemoryStorage()
    defaultFileStorage = .inMemory
    defaultAppStorage = .inMemory
  }
}
