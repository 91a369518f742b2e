internal import Glibc
internal import Synchronization

/// Reports changes of files by watching their directories with inotify, on one thread for the whole process.
///
/// A watch on the file itself would remain on the old file when a new one is renamed over it.
///
/// Removing a directory removes its watch, which is added again at the next write of this process.
final class DirectoryWatcher: Sendable {
  static let shared = DirectoryWatcher()

  private struct Watch {
    let directory: String
    let name: String
    let callback: @Sendable () -> Void
  }

  private struct State {
    var inotify: Int32?
    /// The directories by inotify's watch descriptors. The kernel assigns one descriptor to a directory, whatever its
    /// paths.
    var directories: [Int32: Set<String>] = [:]
    var watches: [Int: Watch] = [:]
    var nextWatch = 0
  }

  private let state = Mutex(State())

  /// Calls `callback` on the watcher's thread when the file is written, replaced or removed.
  func watch(_ path: String, _ callback: @escaping @Sendable () -> Void) throws -> SharedSubscription {
    try AtomicFile.makeDirectories(above: path)
    let watch = Watch(
      directory: AtomicFile.directory(of: path), name: AtomicFile.name(of: path), callback: callback)
    let id = try state.withLock { state in
      try begin(&state)
      try add(watch.directory, to: &state)
      state.watches[state.nextWatch] = watch
      state.nextWatch += 1
      return state.nextWatch - 1
    }
    return SharedSubscription { [self] in end(id) }
  }

  /// Watches the directory of a file again if it was lost.
  func rewatch(_ path: String) {
    let directory = AtomicFile.directory(of: path)
    state.withLock { state in
      guard state.watches.values.contains(where: { $0.directory == directory }),
        !state.directories.values.contains(where: { $0.contains(directory) })
      else { return }
      try? add(directory, to: &state)
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
    state.inotify = file
  }

  private func add(_ directory: String, to state: inout State) throws {
    guard let file = state.inotify else { return }
    let events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    let number = try system("inotify_add_watch", directory) { inotify_add_watch(file, directory, UInt32(events)) }
    state.directories[number, default: []].insert(directory)
  }

  private func end(_ id: Int) {
    let watch = state.withLock { state in
      let watch = state.watches.removeValue(forKey: id)
      if let watch, !state.watches.values.contains(where: { $0.directory == watch.directory }) {
        for number in state.directories.keys { state.directories[number]?.remove(watch.directory) }
        for (number, names) in state.directories where names.isEmpty {
          state.directories[number] = nil
          if let file = state.inotify { inotify_rm_watch(file, number) }
        }
      }
      return watch
    }
    _ = watch  // The callback is released outside the lock.
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
      var ids: Set<Int> = []
      var rest = events[...]
      while rest.count >= MemoryLayout<inotify_event>.size {
        let event = rest.loadUnaligned(as: inotify_event.self)
        let size = MemoryLayout<inotify_event>.size + Int(event.len)
        let name = String(
          decoding: rest.dropFirst(MemoryLayout<inotify_event>.size).prefix(Int(event.len)).prefix { $0 != 0 },
          as: UTF8.self)
        rest = rest.dropFirst(size)

        let directories = state.directories[event.wd] ?? []
        let isWhole = event.mask & UInt32(IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED) != 0
        for (id, watch) in state.watches
        where event.mask & UInt32(IN_Q_OVERFLOW) != 0
          || directories.contains(watch.directory) && (isWhole || watch.name == name)
        {
          ids.insert(id)
        }
        if event.mask & UInt32(IN_IGNORED | IN_MOVE_SELF) != 0 { state.directories[event.wd] = nil }
        if event.mask & UInt32(IN_MOVE_SELF) != 0, let file = state.inotify { inotify_rm_watch(file, event.wd) }
      }
      return ids.sorted().compactMap { state.watches[$0]?.callback }
    }
  }
}
