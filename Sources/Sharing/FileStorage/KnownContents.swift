internal import Synchronization

/// The contents that a key last read from its place or wrote there, to distinguish other programs' changes from its
/// own.
///
/// Reading, writing and comparing use the same lock: otherwise an event between two writes would report the first write
/// as another program's.
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

  /// Lets the subscriber reload when the contents of the place differ from the known ones.
  func subscribe<Value>(
    _ subscriber: SharedSubscriber<Value>, load: @escaping @Sendable (LoadContinuation<Value>) -> Void,
    read: @escaping @Sendable () throws -> Contents?,
    watch: (@escaping @Sendable () -> Void) throws -> SharedSubscription
  ) -> SharedSubscription {
    let changed: @Sendable () -> Void = { [self] in
      let isOurs = contents.withLock { contents in (try? read() == contents) ?? false }
      if !isOurs { subscriber.reload(load) }
    }
    do {
      let subscription = try watch(changed)
      // Another program may have written between loading and watching. An unreadable place is already known to be so.
      let isOurs = contents.withLock { contents in (try? read() == contents) ?? true }
      if !isOurs { subscriber.reload(load) }
      return subscription
    } catch {
      subscriber.yield(throwing: error)
      return SharedSubscription {}
    }
  }
}
