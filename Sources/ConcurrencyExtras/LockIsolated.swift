internal import Synchronization

/// A value behind a lock, for a test or a callback that must share one between tasks.
///
/// ```swift
/// let sent = LockIsolated<[String]>([])
/// let client = MailClient(send: { mail in sent.withValue { $0.append(mail) } })
/// …
/// #expect(sent.value == ["hello"])
/// ```
///
/// The lock is not recursive: an operation must not use the same `LockIsolated` again.
@dynamicMemberLookup
public final class LockIsolated<Value>: Sendable {
  private let mutex: Mutex<UncheckedSendable<Value>>

  /// Creates a locked value.
  public init(_ value: @autoclosure @Sendable () throws -> Value) rethrows {
    mutex = Mutex(UncheckedSendable(try value()))
  }

  /// Reads one property of the value.
  public subscript<Subject: Sendable>(dynamicMember keyPath: any KeyPath<Value, Subject> & Sendable) -> Subject {
    mutex.withLock { $0.value[keyPath: keyPath] }
  }

  /// Reads and changes the value while nobody else does.
  ///
  /// ```swift
  /// count.withValue { $0 += 1 }   // one step; `count.setValue(count.value + 1)` would be two
  /// ```
  public func withValue<Result: Sendable>(
    _ operation: @Sendable (inout Value) throws -> Result
  ) rethrows -> Result {
    try mutex.withLock { try operation(&$0.value) }
  }

  /// Replaces the value.
  ///
  /// The new one is worked out before the lock is taken.
  public func setValue(_ newValue: @autoclosure @Sendable () throws -> Value) rethrows {
    let newValue = UncheckedSendable(try newValue())
    mutex.withLock { $0 = newValue }
  }
}

extension LockIsolated where Value: Sendable {
  /// The value now.
  public var value: Value { mutex.withLock { $0.value } }
}
