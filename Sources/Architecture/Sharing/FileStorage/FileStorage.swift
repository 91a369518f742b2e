public import Dependencies
public import FoundationEssentials

/// The storage of `.fileStorage` keys: the file system, or memory in tests.
public struct FileStorage: Sendable, Identifiable {
  /// The identity of a storage.
  public struct ID: Hashable, Sendable {
    private let object: ObjectIdentifier?

    fileprivate init(_ object: ObjectIdentifier?) {
      self.object = object
    }
  }

  /// The identity of the storage.
  public let id: ID
  /// Reads a file; returns nil if there is none.
  let read: @Sendable (URL) throws -> Data?
  /// Replaces a file atomically.
  let write: @Sendable (Data, URL) throws -> Void
  /// Called after each write, outside the writer's lock.
  let written: @Sendable (URL) -> Void
  /// Differs after the file was changed or another one has taken its place; nil if there is none, or in memory.
  let stamp: @Sendable (URL) -> FileStamp?
  /// Called when a file turns out to have changed before its watch has reported it.
  let refollow: @Sendable (URL) -> Void
  /// Calls back, on any thread, when a file may have changed.
  let watch: @Sendable (URL, @escaping @Sendable () -> Void) throws -> SharedSubscription
  /// Runs an operation exclusively among all programs and threads that use the same file.
  let exclusively: @Sendable (URL, () throws -> Void) throws -> Void

  /// The files of this machine. Writes replace files atomically, and inotify watches the directories and links on the
  /// way to them.
  public static let fileSystem = FileStorage(
    id: ID(nil),
    read: { try FileContents.read($0.path) },
    write: { data, url in try data.withUnsafeBytes { try AtomicFile.write($0, to: url.path) } },
    written: { _ in }, stamp: { FileStamp(of: $0.path) },
    refollow: { DirectoryWatcher.shared.refollow($0.path) },
    watch: { try DirectoryWatcher.shared.watch($0.path, $1) },
    exclusively: { try FileLock.hold(beside: $0.path, $1) })

  /// An empty storage in memory.
  public static var inMemory: FileStorage { inMemory([:]) }

  /// A new storage in memory.
  public static func inMemory(_ files: [URL: Data]) -> FileStorage {
    let memory = MemoryFiles(files)
    return FileStorage(
      id: ID(ObjectIdentifier(memory)), read: { memory.read($0) }, write: { memory.write($0, to: $1) },
      written: { memory.notifyWatchers(of: $0) }, stamp: { _ in nil }, refollow: { _ in },
      watch: { memory.watch($0, $1) },
      exclusively: { try memory.exclusively($1) })
  }
}

extension FileStorage: Hashable {
  /// Returns true for the same files: the file system, or the same memory.
  public static func == (lhs: FileStorage, rhs: FileStorage) -> Bool { lhs.id == rhs.id }

  /// Feeds the identity into a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// The file system, by its name in the first release of `@Shared`: ``FileStorage/fileSystem``.
public func LiveFileStorage() -> FileStorage { .fileSystem }

/// An empty storage in memory, by its name in the first release of `@Shared`: ``FileStorage/inMemory``.
public func InMemoryFileStorage() -> FileStorage { .inMemory }

extension DependencyValues {
  /// The storage of `.fileStorage` keys: the file system; in a test, a separate memory.
  public var defaultFileStorage: FileStorage {
    get { self[FileStorageDependency.self] }
    set { self[FileStorageDependency.self] = newValue }
  }
}

private enum FileStorageDependency: DependencyKey {
  static let liveValue = FileStorage.fileSystem
  static let perTest = PerTest { FileStorage.inMemory }
  static var testValue: FileStorage { perTest.value }
  static var previewValue: FileStorage { testValue }
}
