internal import Dependencies
internal import FoundationEssentials

/// A setting of the application.
///
/// ```swift
/// @Shared(.appStorage("isDimmed")) var isDimmed = false
/// ```
///
/// A setting of another type than the key's, for example after a user's edit, is a load error; the value does not
/// change.
public struct AppStorageKey<Value: Sendable>: SharedKey, CustomStringConvertible {
  private let key: String
  private let store: AppStorage
  private let decode: @Sendable (JSONValue) throws -> Value?
  private let encode: @Sendable (Value) throws -> JSONValue?
  private let known: KnownContents<JSONValue>

  init(
    _ key: String, store: AppStorage?, decode: @escaping @Sendable (JSONValue) throws -> Value?,
    encode: @escaping @Sendable (Value) throws -> JSONValue?
  ) {
    @Dependency(\.defaultAppStorage) var defaultStore
    self.key = key
    let store = store ?? defaultStore
    self.store = store
    known = KnownContents { store.files.stamp(store.file) }
    (self.decode, self.encode) = (decode, encode)
  }

  /// The key and the file.
  public var id: AppStorageKeyID { AppStorageKeyID(key: key, file: store.file, storage: store.files.id) }

  public var description: String { ".appStorage(\"\(key)\")" }

  /// Reads the setting from the file.
  public func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>) {
    continuation.resume(
      with: Result {
        guard let json = try known.read({ try store.read(key) }), json != .null else { return nil }
        guard let value = try decode(json) else { throw SettingHasOtherType(key: key, expected: "\(Value.self)") }
        return value
      })
  }

  /// Watches the file for changes of this setting by others.
  public func subscribe(
    context: LoadContext<Value>, subscriber: SharedSubscriber<Value>
  ) -> SharedSubscription {
    known.subscribe(
      subscriber, load: { [self] in load(context: .userInitiated, continuation: $0) },
      read: { [store, key] in try store.read(key) }
    ) { [store] in
      try store.files.watch(store.file, $0)
    }
  }

  /// Replaces the setting in the file; nil removes it.
  public func save(_ value: Value, context: SaveContext, continuation: SaveContinuation) {
    continuation.resume(
      with: Result {
        let json = try encode(value)
        try known.write(json) { try store.write(json, for: key) }
        store.files.written(store.file)
      })
  }
}

extension AppStorageKey: OutdatedKey {
  func isOutdated() -> Bool {
    guard known.areOutdated({ try store.read(key) }) else { return false }
    store.files.refollow(store.file)
    return true
  }
}

/// A setting in the file is not of the requested type.
public struct SettingHasOtherType: Error, Hashable {
  /// The setting.
  public let key: String
  /// The requested type.
  public let expected: String
}

/// The identity of a setting.
public struct AppStorageKeyID: Hashable, Sendable {
  let key: String
  let file: URL
  let storage: FileStorage.ID
}
