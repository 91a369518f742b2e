internal import FoundationEssentials
internal import Synchronization

/// Files in memory.
final class MemoryFiles: Sendable {
  private struct State {
    var files: [URL: Data]
    var watchers: [Int: (url: URL, callback: @Sendable () -> Void)] = [:]
    var nextWatcher = 0
  }

  private let state: Mutex<State>
  private let exclusive = Mutex<Void>(())

  init(_ files: [URL: Data]) {
    state = Mutex(State(files: files))
  }

  func read(_ url: URL) -> Data? {
    state.withLock { $0.files[url] }
  }

  func write(_ data: Data, to url: URL) {
    state.withLock { $0.files[url] = data }
  }

  func notifyWatchers(of url: URL) {
    let watchers = state.withLock { state in state.watchers.sorted { $0.key < $1.key }.map(\.value) }
    for watcher in watchers where watcher.url == url { watcher.callback() }
  }

  func watch(_ url: URL, _ callback: @escaping @Sendable () -> Void) -> SharedSubscription {
    let id = state.withLock { state in
      state.watchers[state.nextWatcher] = (url, callback)
      state.nextWatcher += 1
      return state.nextWatcher - 1
    }
    return SharedSubscription { [self] in
      let watcher = state.withLock { $0.watchers.removeValue(forKey: id) }
      _ = watcher  // Released outside the lock.
    }
  }

  func exclusively(_ operation: () throws -> Void) throws {
    try exclusive.withLock { _ in try operation() }
  }
}
