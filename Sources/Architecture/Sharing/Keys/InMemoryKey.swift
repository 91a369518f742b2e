public import Dependencies

extension SharedReaderKey {
  /// A value that lives as long as the process.
  public static func inMemory<Value>(_ key: String) -> Self where Self == InMemoryKey<Value> {
    InMemoryKey(key: key)
  }
}

/// A key of the process's memory.
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

  /// Delivers the last saved value. A new reference's initial value becomes that value if there is none.
  public func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>) {
    // In two steps: casting a missing value to an optional type would succeed.
    if let stored = storage[key], let value = stored as? Value { return continuation.resume(returning: value) }
    if let value = context.initialValue { storage[key] = value }
    continuation.resumeReturningInitialValue()
  }

  /// Does nothing, because only references change the memory.
  public func subscribe(
    context: LoadContext<Value>, subscriber: SharedSubscriber<Value>
  ) -> SharedSubscription {
    SharedSubscription {}
  }

  /// Stores the value.
  public func save(_ value: Value, context: SaveContext, continuation: SaveContinuation) {
    storage[key] = value
    continuation.resume()
  }
}

/// The memory in which ``InMemoryKey`` keeps values without references.
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
      _ = old  // Released outside the lock, whatever its deinitializer does.
    }
  }
}

extension DependencyValues {
  /// The memory of `.inMemory` keys. Each test has its own.
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

/// The identity of a name: tests have separate memories.
public struct InMemoryKeyID: Hashable, Sendable {
  let key: String
  let storage: ObjectIdentifier
}
