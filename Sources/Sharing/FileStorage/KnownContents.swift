internal import Synchronization

/// What a key last read from its place or wrote there, to tell the changes of others from its own.
///
/// Reading, writing and comparing are each done under one lock: otherwise an event that comes while we write twice
/// would show our first write as somebody else's.
final class KnownContents<Contents: Equatable & Sendable>: Sendable {
  private let contents = Mutex<Contents?>(nil)

  func read(_ read: () throws -> Contents?) rethrows -> Contents? {
    try contents.withLock { contents in
      contents = try read()
      return contents
    }
  }

  func write(_ new: Contents?, _ write: () throws -> Void) rethrows {
    try contents.withLock { contents in
      try write()
      contents = new
    }
  }

  /// Has the subscriber load again whenever the place holds something else than what is known.
  func subscribe<Value>(
    _ subscriber: SharedSubscriber<Value>, read: @escaping @Sendable () throws -> Contents?,
    watch: (@escaping @Sendable () -> Void) throws -> SharedSubscription
  ) -> SharedSubscription {
    let changed: @Sendable () -> Void = { [self] in
      let isOurs = contents.withLock { contents in (try? read() == contents) ?? false }
      if !isOurs { subscriber.sourceChanged() }
    }
    do {
      let subscription = try watch(changed)
      // Somebody may have written between our loading and our watching. An unreadable place is known to be so.
      let isOurs = contents.withLock { contents in (try? read() == contents) ?? true }
      if !isOurs { subscriber.sourceChanged() }
      return subscription
    } catch {
      subscriber.yield(throwing: error)
      return SharedSubscription {}
    }
  }
}
