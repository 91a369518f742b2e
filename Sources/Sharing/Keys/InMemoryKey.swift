public import Dependencies

extension SharedReaderKey {
  /// A value that lives as long as the process.
  public static func inMemory<Value>(_ key: String) -> Self where Self == InMemoryKey<Value> {
    InMemoryKey(key: key)
  }
}

/// A name in the memory of the process.
public struct InMemoryKey<Value: Sendable>: SharedKey, CustomStringConvertible {
  private let key: String
  private let storage: InMemoryStorage

  init(key: String) {
    @Dependency(\.defaultInMemoryStorage) var storage
    self.key = key
    self.storage = storage
  }

  /// The name and the memory.
  public var id: InMemoryKeyID { InMemoryKeyID(key: key, storage: storage.id) }

  public var description: String { ".inMemory(\"\(key)\")" }

  /// Delivers the value that was saved last.
  public func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>) {
    // In two steps: the cast of a missing value to an optional type would succeed.
    continuation.resume(with: .success(storage[key].flatMap { $0 as? Value }))
  }

  /// Does nothing: only references change the memory.
  public func subscribe(
    context: LoadContext<Value>, subscriber: SharedSubscriber<Value>
  ) -> SharedSubscription {
    SharedSubscription {}
  }

  /// Remembers the value.
  public func save(_ value: Value, context: SaveContext, continuation: SaveContinuation) {
    storage[key] = value
    continuation.resume()
  }
}

/// Where ``InMemoryKey`` keeps values while no reference holds them.
public struct InMemoryStorage: Sendable {
  private let values = Guarded<[String: any Sendable]>([:])

  /// Creates an empty memory.
  public init() {}

  var id: ObjectIdentifier { ObjectIdentifier(values) }

  fileprivate subscript(key: String) -> (any Sendable)? {
    get { values.withLock { $0[key] } }
    nonmutating set {
      let old = values.withLock { values in
        defer { values[key] = newValue }
        return values[key]
      }
      _ = old  // Its end, whatever it does, is outside of the lock.
    }
  }
}

extension DependencyValues {
  /// The memory of `.inMemory` keys. Every test has its own.
  public var defaultInMemoryStorage: InMemoryStorage {
    get { self[InMemoryStorageKey.self] }
    set { self[InMemoryStorageKey.self] = newValue }
  }
}

private enum InMemoryStorageKey: DependencyKey {
  static let liveValue = InMemoryStorage()
  static let perTest = PerTest { InMemoryStorage() }
  static var testValue: InMemoryStorage { perTest.value }
  static var previewValue: InMemoryStorage { testValue }
}

/// What tells two names apart: memories differ between tests.
public struct InMemoryKeyID: Hashable, Sendable {
  let key: String
  let storage: ObjectIdentifier
}
