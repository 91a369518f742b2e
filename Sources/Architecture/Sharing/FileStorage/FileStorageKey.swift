internal import Dependencies
public import FoundationEssentials

extension SharedReaderKey {
  /// A value in a JSON file.
  ///
  /// ```swift
  /// @Shared(.fileStorage(.documentsDirectory.appending(component: "items.json"))) var items: [Item] = []
  /// ```
  ///
  /// Each change replaces the file atomically, before `withLock` returns, or soon afterwards if another thread is
  /// saving a change at that moment. Changes by other programs are observed, also if they replace a directory or a link
  /// on the way to the file, and a change of this program is made to the value that they left. If the file cannot be
  /// read, the value does not change and has a load error; the next change replaces the file. Removing the file restores
  /// the initial value.
  public static func fileStorage<Value: Codable & Sendable>(
    _ url: URL, decoder: JSONDecoder? = nil, encoder: JSONEncoder? = nil
  ) -> Self where Self == FileStorageKey<Value> {
    let (decoder, encoder) = (decoder ?? JSONDecoder(), encoder ?? .forFiles)
    return FileStorageKey(
      url: url, decode: { try decoder.decode(Value.self, from: $0) }, encode: { try encoder.encode($0) })
  }

  /// A value in a JSON file with a path.
  public static func fileStorage<Value: Codable & Sendable>(
    _ path: String, decoder: JSONDecoder? = nil, encoder: JSONEncoder? = nil
  ) -> Self where Self == FileStorageKey<Value> {
    .fileStorage(URL(filePath: path), decoder: decoder, encoder: encoder)
  }

  /// A value in a file of any format.
  ///
  /// If the compiler infers closures that are not sendable, as it does after a leading dot in an argument, begin them
  /// with `@Sendable in`.
  public static func fileStorage<Value: Sendable>(
    _ url: URL, decode: @escaping @Sendable (Data) throws -> Value, encode: @escaping @Sendable (Value) throws -> Data
  ) -> Self where Self == FileStorageKey<Value> {
    FileStorageKey(url: url, decode: decode, encode: encode)
  }
}

/// A file.
public struct FileStorageKey<Value: Sendable>: SharedKey, CustomStringConvertible {
  private let url: URL
  private let storage: FileStorage
  private let decode: @Sendable (Data) throws -> Value
  private let encode: @Sendable (Value) throws -> Data
  private let known: KnownContents<Data>

  init(
    url: URL, decode: @escaping @Sendable (Data) throws -> Value, encode: @escaping @Sendable (Value) throws -> Data
  ) {
    @Dependency(\.defaultFileStorage) var storage
    (self.url, self.storage, self.decode, self.encode) = (url, storage, decode, encode)
    known = KnownContents { [storage] in storage.stamp(url) }
  }

  /// The file and its storage.
  public var id: FileStorageKeyID { FileStorageKeyID(url: url, storage: storage.id) }

  public var description: String { ".fileStorage(\(url.path))" }

  /// Reads the file. A missing or empty file has no value.
  public func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>) {
    continuation.resume(
      with: Result {
        guard let data = try known.read({ try storage.read(url) }), !data.isEmpty else { return nil }
        return try decode(data)
      })
  }

  /// Watches the file for changes that ``save(_:context:continuation:)`` did not make.
  public func subscribe(
    context: LoadContext<Value>, subscriber: SharedSubscriber<Value>
  ) -> SharedSubscription {
    known.subscribe(
      subscriber, load: { [self] in load(context: .userInitiated, continuation: $0) },
      read: { [storage, url] in try storage.read(url) }
    ) { [storage, url] in
      try storage.watch(url, $0)
    }
  }

  /// Replaces the file.
  public func save(_ value: Value, context: SaveContext, continuation: SaveContinuation) {
    continuation.resume(
      with: Result {
        let data = try encode(value)
        try known.write(data) { try storage.write(data, url) }
        storage.written(url)
      })
  }
}

extension FileStorageKey: OutdatedKey {
  func isOutdated() -> Bool {
    guard known.areOutdated({ try storage.read(url) }) else { return false }
    storage.refollow(url)
    return true
  }
}

/// The identity of a file: the same URL in another storage is another file.
public struct FileStorageKeyID: Hashable, Sendable {
  let url: URL
  let storage: FileStorage.ID
}
