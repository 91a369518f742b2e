public import Dependencies
public import FoundationEssentials

/// Where `.fileStorage` keys keep their files: the file system, or memory in tests.
public struct FileStorage: Sendable, Identifiable {
  /// What tells two storages apart.
  public struct ID: Hashable, Sendable {
    private let object: ObjectIdentifier?

    fileprivate init(_ object: ObjectIdentifier?) {
      self.object = object
    }
  }

  /// What tells two storages apart.
  public let id: ID
  /// The contents of a file; nil if there is none.
  let read: @Sendable (URL) throws -> Data?
  /// Replaces a file whole, so that nobody ever sees half of one.
  let write: @Sendable (Data, URL) throws -> Void
  /// Called after each write, outside of the writer's lock.
  let written: @Sendable (URL) -> Void
  /// Calls back, on any thread, whenever a file may have changed.
  let watch: @Sendable (URL, @escaping @Sendable () -> Void) throws -> SharedSubscription
  /// Runs an operation while no other program and no other thread runs one for the same file.
  let exclusively: @Sendable (URL, () throws -> Void) throws -> Void

  /// The files of this machine: each write replaces the file in one step, and directories are watched by inotify.
  public static let fileSystem = FileStorage(
    id: ID(nil),
    read: { try FileContents.read($0.path) },
    write: { data, url in try data.withUnsafeBytes { try AtomicFile.write($0, to: url.path) } },
    written: { DirectoryWatcher.shared.rewatch(AtomicFile.resolved($0.path)) },
    watch: { try DirectoryWatcher.shared.watch(AtomicFile.resolved($0.path), $1) },
    exclusively: { try FileLock.hold(beside: $0.path, $1) })

  /// New files in memory, without any.
  public static var inMemory: FileStorage { inMemory([:]) }

  /// New files in memory.
  public static func inMemory(_ files: [URL: Data]) -> FileStorage {
    let memory = MemoryFiles(files)
    return FileStorage(
      id: ID(ObjectIdentifier(memory)), read: { memory.read($0) }, write: { memory.write($0, to: $1) },
      written: { memory.tellWatchers(of: $0) }, watch: { memory.watch($0, $1) },
      exclusively: { try memory.exclusively($1) })
  }
}

extension DependencyValues {
  /// Where `.fileStorage` keys keep their files: the file system, and in tests memory, for each test its own.
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
