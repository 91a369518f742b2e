internal import Synchronization

/// Work that can be cancelled.
public protocol Cancellable {
  /// Cancels the work.
  func cancel()
}

/// Cancels work when it is deallocated, or earlier.
public final class AnyCancellable: Cancellable, Hashable, Sendable {
  private let work: Mutex<(@Sendable () -> Void)?>

  /// Creates a cancellable that calls a closure, once.
  public init(_ cancel: @escaping @Sendable () -> Void) {
    work = Mutex(cancel)
  }

  deinit {
    cancel()
  }

  /// Cancels the work.
  public func cancel() {
    let work = work.withLock { work in
      defer { work = nil }
      return work
    }
    work?()
  }

  /// Adds this cancellable to a set.
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(self)
  }

  /// Returns true if the two are the same object.
  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }
  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension AnyCancellable {
  /// Wraps a cancellable.
  convenience init(_ base: any Cancellable) {
    let base = Guarded(base: base)
    self.init { base.base.cancel() }
  }

  /// Unchecked: only `AnyCancellable` uses it, and calls it once.
  private struct Guarded: @unchecked Sendable {
    let base: any Cancellable
  }
}
