internal import Glibc
internal import Synchronization

/// Reports changes of files by watching directories with inotify, on one thread for the whole process.
///
/// A watch on the file itself would remain on the old file when a new one is renamed over it. For the same reason the
/// directories and links on the way to it are watched: each of them may be replaced, removed, or created again
/// (`PathLookups`).
final class DirectoryWatcher: Sendable {
  static let shared = DirectoryWatcher()

  private struct Watch {
    let path: String
    let callback: @Sendable () -> Void
    /// The way to the file when it was last followed.
    var lookups: PathLookups
  }

  private struct State {
    var inotify: Int32?
    var directories = WatchedDirectories()
    var watches: [Int: Watch] = [:]
    var nextWatch = 0
  }

  private let state = Mutex(State())

  /// Calls `callback` on the watcher's thread when the path may lead to other contents: the file was written, replaced
  /// or removed, or a directory or a link on the way to it was.
  ///
  /// - Throws: The system's error if the directory of the file, or the nearest one that exists, cannot be watched.
  func watch(_ path: String, _ callback: @escaping @Sendable () -> Void) throws -> SharedSubscription {
    let id = try state.withLock { state in
      try begin(&state)
      let (lookups, error) = state.directories.follow(path)
      if let error {
        prune(&state)
        throw error
      }
      state.watches[state.nextWatch] = Watch(path: path, callback: callback, lookups: lookups)
      state.nextWatch += 1
      return state.nextWatch - 1
    }
    return SharedSubscription { [self] in end(id) }
  }

  /// Follows the path of a file again, after a change of which there was no event: a mount, or the replacement of a
  /// directory that this user must not read.
  func refollow(_ path: String) {
    state.withLock { state in
      for (id, watch) in state.watches where watch.path == path { follow(id, &state) }
      prune(&state)
    }
  }

  private func begin(_ state: inout State) throws {
    guard state.inotify == nil else { return }
    let file = try system("inotify_init", "") { inotify_init1(Int32(IN_CLOEXEC)) }
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, { _ in DirectoryWatcher.shared.run() }, nil)
    guard code == 0 else {
      close(file)
      throw FileSystemError(operation: "pthread_create", path: "", code: code)
    }
    pthread_detach(thread)
    (state.inotify, state.directories.inotify) = (file, file)
  }

  private func follow(_ id: Int, _ state: inout State) {
    guard let path = state.watches[id]?.path else { return }
    state.watches[id]?.lookups = state.directories.follow(path).lookups
  }

  private func end(_ id: Int) {
    let watch = state.withLock { state in
      let watch = state.watches.removeValue(forKey: id)
      prune(&state)
      return watch
    }
    _ = watch  // The callback is released outside the lock.
  }

  private func prune(_ state: inout State) {
    state.directories.keep(Set(state.watches.values.flatMap(\.lookups.directories)))
  }

  /// The thread's main function: reads events and runs callbacks until the process ends.
  private func run() -> UnsafeMutableRawPointer? {
    guard let file = state.withLock({ $0.inotify }) else { return nil }
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
      while let count = try? system("read", "inotify", { read(file, buffer.baseAddress, buffer.count) }), count > 0 {
        for callback in callbacks(for: UnsafeRawBufferPointer(rebasing: buffer[..<count])) { callback() }
      }
    }
    return nil
  }

  /// The callbacks for a batch of events, each once.
  private func callbacks(for events: UnsafeRawBufferPointer) -> [@Sendable () -> Void] {
    state.withLock { state in
      var changed: Set<Int> = []
      /// The watches whose path may lead elsewhere now.
      var led: Set<Int> = []
      for event in FileEvent.all(in: events) {
        let directories = state.directories.names(of: event.watch)
        for (id, watch) in state.watches {
          guard event.concerns(watch.lookups, in: directories) else { continue }
          changed.insert(id)
          if !event.isContents { led.insert(id) }
        }
        if event.endsWatch { state.directories.forget(event.watch, isRemoved: event.isRemoval) }
      }
      for id in led { follow(id, &state) }
      if !led.isEmpty { prune(&state) }
      return changed.sorted().compactMap { state.watches[$0]?.callback }
    }
  }
}
