/// A value protected by a lock, for tests or callbacks that share it between tasks.
///
/// ```swift
/// let sent = LockIsolated<[String]>([])
/// let client = MailClient(send: { mail in sent.withValue { $0.append(mail) } })
/// …
/// #expect(sent.value == ["hello"])
/// ```
///
/// The lock is recursive. An operation that uses the same `LockIsolated` again sees the value before the operation, and
/// the outer operation's value wins in the end.
@dynamicMemberLookup
public final class LockIsolated<Value>: @unchecked Sendable {  // `lock` guards `storage`.
  private let lock = RecursiveLock()
  private var storage: Value

  /// Creates a protected value.
  public init(_ value: @autoclosure () throws -> sending Value) rethrows {
    storage = try value()
  }

  /// Reads one property of the value.
  public subscript<Subject: Sendable>(dynamicMember keyPath: any KeyPath<Value, Subject> & Sendable) -> Subject {
    lock.withLock { storage[keyPath: keyPath] }
  }

  /// Reads and changes the value atomically.
  ///
  /// ```swift
  /// count.withValue { $0 += 1 }
  /// ```
  public func withValue<Result>(
    _ operation: (inout sending Value) throws -> sending Result
  ) rethrows -> sending Result {
    lock.lock()
    // The compiler does not know that the lock keeps the value from other threads.
    var unshared = UncheckedSendable(storage)
    defer {
      storage = unshared.value
      lock.unlock()
    }
    return try operation(&unshared.value)
  }

  /// Replaces the value. The new value is computed under the lock.
  public func setValue(_ newValue: @autoclosure () throws -> sending Value) rethrows {
    lock.lock()
    defer { lock.unlock() }
    storage = try newValue()
  }
}

extension LockIsolated where Value: Sendable {
  /// The current value.
  public var value: Value { lock.withLock { storage } }
}

extension LockIsolated: Equatable where Value: Equatable {
  /// Compares the values under both locks.
  public static func == (lhs: LockIsolated, rhs: LockIsolated) -> Bool {
    // In the same order for each pair, so that no two comparisons wait for each other.
    let (first, second) = ObjectIdentifier(lhs) < ObjectIdentifier(rhs) ? (lhs, rhs) : (rhs, lhs)
    return first.lock.withLock { second.lock.withLock { lhs.storage == rhs.storage } }
  }
}

extension LockIsolated: Hashable where Value: Hashable {
  /// Feeds the value into a hasher. Do not change the value while it is in a set or a key of a dictionary.
  public func hash(into hasher: inout Hasher) {
    lock.withLock { hasher.combine(storage) }
  }
}
