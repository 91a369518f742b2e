internal import Synchronization

/// The contents that a key last read from its place or wrote there, to distinguish other programs' changes from its
/// own.
///
/// Reading, writing and comparing use the same lock: otherwise an event between two writes would report the first write
/// as another program's.
final class KnownContents<Contents: Equatable & Sendable>: Sendable {
  private struct Known {
    var contents: Contents?
    /// The stamp of the file that has them.
    var stamp: FileStamp?
  }

  /// The stamp of the file now.
  private let stamp: @Sendable () -> FileStamp?
  private let known = Mutex(Known())

  init(stamp: @escaping @Sendable () -> FileStamp?) {
    self.stamp = stamp
  }

  func read(_ read: () throws -> Contents?) rethrows -> Contents? {
    try known.withLock { known in
      // First, so that a change meanwhile is noticed later. An unreadable place is known to be so.
      known.stamp = stamp()
      known.contents = try read()
      return known.contents
    }
  }

  func write(_ new: Contents?, _ write: () throws -> Void) rethrows {
    try known.withLock { known in
      try write()
      (known.contents, known.stamp) = (new, stamp())
    }
  }

  /// Returns true if another program has changed the contents, or put another file in the place of this one.
  ///
  /// - Complexity: One system call unless the file's stamp has changed.
  func areOutdated(_ read: () throws -> Contents?) -> Bool {
    known.withLock { known in
      let stamp = self.stamp()
      guard stamp != known.stamp else { return false }
      guard (try? read() == known.contents) == true else { return true }
      known.stamp = stamp
      return false
    }
  }

  /// Lets the subscriber reload when the contents of the place differ from the known ones.
  func subscribe<Value>(
    _ subscriber: SharedSubscriber<Value>, load: @escaping @Sendable (LoadContinuation<Value>) -> Void,
    read: @escaping @Sendable () throws -> Contents?,
    watch: (@escaping @Sendable () -> Void) throws -> SharedSubscription
  ) -> SharedSubscription {
    let changed: @Sendable () -> Void = { [self] in
      let isOurs = known.withLock { known in (try? read() == known.contents) ?? false }
      if !isOurs { subscriber.reload(load) }
    }
    do {
      let subscription = try watch(changed)
      // Another program may have written between loading and watching. An unreadable place is already known to be so.
      let isOurs = known.withLock { known in (try? read() == known.contents) ?? true }
      if !isOurs { subscriber.reload(load) }
      return subscription
    } catch {
      subscriber.yield(throwing: error)
      return SharedSubscription {}
    }
  }
}
