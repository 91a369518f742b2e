public import Dependencies

/// A value for each test, made when the test first asks for it and kept to the end of the process.
///
/// Where no module is linked that knows which test runs, the tests of a process have one value, unless they call
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
  /// Gives these values references, memory, files and settings that nobody else has.
  ///
  /// What a test needs whose process cannot tell its tests apart:
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
