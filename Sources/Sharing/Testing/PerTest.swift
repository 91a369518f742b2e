public import Dependencies
internal import Synchronization

/// Tells one running test from another, so that shared state does not leak between them.
///
/// A module that links a test framework says how:
///
/// ```swift
/// SharedTestIdentity.install { Test.current?.id }
/// ```
///
/// Where no module has, the tests of a process have one memory, unless they call
/// ``Dependencies/DependencyValues/isolateSharedState()``.
public enum SharedTestIdentity {
  private static let identify = Mutex<(@Sendable () -> (any Hashable & Sendable)?)?>(nil)

  /// Sets the function that names the test that calls it; nil stands for “no test”.
  public static func install(_ identify: @escaping @Sendable () -> (any Hashable & Sendable)?) {
    self.identify.withLock { $0 = identify }
  }

  static var current: AnyHashable {
    let identify = identify.withLock { $0 }
    return identify?().map { AnyHashable($0) } ?? AnyHashable(ObjectIdentifier(Self.self))
  }
}

/// A value for each test, made when the test first asks for it and kept to the end of the process.
struct PerTest<Value: Sendable>: Sendable {
  private let values = Guarded<[AnyHashable: Value]>([:])
  private let make: @Sendable () -> Value

  init(_ make: @escaping @Sendable () -> Value) {
    self.make = make
  }

  var value: Value {
    let test = SharedTestIdentity.current
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
