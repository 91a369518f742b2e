internal import Dependencies
public import FoundationEssentials

extension SharedReaderKey {
  /// A value in a file of JSON.
  ///
  /// ```swift
  /// @Shared(.fileStorage(.documentsDirectory.appending(component: "items.json"))) var items: [Item] = []
  /// ```
  ///
  /// Each change replaces the file in one step, before `withLock` returns, or soon after where another thread is
  /// saving a change at that moment. Changes by other programs are seen. A file that cannot be read leaves the value as
  /// it is, with a load error; the next change replaces it. A file that is removed brings the initial value back.
  public static func fileStorage<Value: Codable & Sendable>(
    _ url: URL, decoder: JSONDecoder? = nil, encoder: JSONEncoder? = nil
  ) -> Self where Self == FileStorageKey<Value> {
    let (decoder, encoder) = (decoder ?? JSONDecoder(), encoder ?? .forFiles)
    return FileStorageKey(
      url: url, decode: { try decoder.decode(Value.self, from: $0) }, encode: { try encoder.encode($0) })
  }

  /// A value in a file of JSON, by its path.
  public static func fileStorage<Value: Codable & Sendable>(
    _ path: String, decoder: JSONDecoder? = nil, encoder: JSONEncoder? = nil
  ) -> Self where Self == FileStorageKey<Value> {
    .fileStorage(URL(filePath: path), decoder: decoder, encoder: encoder)
  }

  /// A value in a file of any format.
  ///
  /// Where the compiler takes the closures for functions that are not sendable, as it does behind a leading dot in an
  /// argument, begin them with `@Sendable in`.
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
  private let known = KnownContents<Data>()

  init(
    url: URL, decode: @escaping @Sendable (Data) throws -> Value, encode: @escaping @Sendable (Value) throws -> Data
  ) {
    @Dependency(\.defaultFileStorage) var storage
    (self.url, self.storage, self.decode, self.encode) = (url, storage, decode, encode)
  }

  /// The file and its storage.
  public var id: FileStorageKeyID { FileStorageKeyID(url: url, storage: storage.id) }

  public var description: String { ".fileStorage(\(url.path))" }

  /// Reads the file. There is no value if there is no file, or an empty one.
  public func load(context: LoadContext<Value>, continuation: LoadContinuation<Value>) {
    continuation.resume(
      with: Result {
        guard let data = try known.read({ try storage.read(url) }), !data.isEmpty else { return nil }
        return try decode(data)
      })
  }

  /// Watches the file for changes that were not made by ``save(_:context:continuation:)``.
  public func subscribe(
    context: LoadContext<Value>, subscriber: SharedSubscriber<Value>
  ) -> SharedSubscription {
    known.subscribe(subscriber, read: { [storage, url] in try storage.read(url) }) { [storage, url] in
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

/// What tells two files apart: the same URL in another storage is another file.
public struct FileStorageKeyID: Hashable, Sendable {
  let url: URL
  let storage: FileStorage.ID
}
