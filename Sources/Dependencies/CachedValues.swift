internal import ConcurrencyExtras
internal import Synchronization

/// One call of ``prepareDependencies(_:)``.
package final class Preparation: Sendable {}

/// The default values of keys. Each is made once: for the process, or for each test.
///
/// No test sees a value of another test. In a process that links no module that knows the current test, and in detached
/// tasks, the tests share their values.
enum CachedValues {
  private struct ID: Hashable {
    let key: ObjectIdentifier
    /// Nil for a value of every context.
    let context: DependencyContext?
    let test: AnyHashableSendable?
  }

  private struct Entry {
    let value: any Sendable
    let preparation: Preparation?
  }

  private static let entries = Mutex<[ID: Entry]>([:])

  /// The value of a key without an override.
  ///
  /// Keys make their values outside the lock, since they may read other dependencies; of two that are made at the
  /// same moment the first is kept.
  static func value<Key: TestDependencyKey>(of key: Key.Type, in context: DependencyContext) -> Key.Value {
    let id = ID(key: ObjectIdentifier(key), context: context, test: CurrentTest.id)
    // In two steps: the cast of a missing value to an optional type would succeed.
    if let kept = kept(id), let value = kept as? Key.Value { return value }
    let value = newValue(of: key, in: context)
    return keep(value, as: id) as? Key.Value ?? value
  }

  // Not generic and not inlined, so that they are compiled once and not for each key.

  @inline(never)
  private static func kept(_ id: ID) -> (any Sendable)? {
    entries.withLock { $0[id]?.value }
  }

  /// Keeps a new value unless there is one already.
  /// - Returns: The kept value.
  @inline(never)
  private static func keep(_ value: any Sendable, as id: ID) -> any Sendable {
    let preparation: Preparation?
    switch DependencyValues.phase {
    case .preparing(let current): preparation = current
    // A test value that was made without a report must not silence the report of its first use.
    case .overriding where id.context == .test: return value
    case .overriding, .reading: preparation = nil
    }
    return entries.withLock { entries in
      if let entry = entries[id] { return entry.value }
      entries[id] = Entry(value: value, preparation: preparation)
      return value
    }
  }

  /// Sets a key's value before its first use.
  /// - Returns: False, without a change, if the key was used or prepared before.
  @discardableResult
  static func prepare(
    _ key: ObjectIdentifier, in context: DependencyContext?, value: any Sendable, by preparation: Preparation
  ) -> Bool {
    let id = ID(key: key, context: context, test: CurrentTest.id)
    return entries.withLock { entries in
      if let entry = entries[id], entry.preparation !== preparation { return false }
      entries[id] = Entry(value: value, preparation: preparation)
      return true
    }
  }

  /// The context that a preparation set.
  static var preparedContext: DependencyContext? {
    let id = ID(key: ObjectIdentifier(DependencyContext.self), context: nil, test: CurrentTest.id)
    return kept(id) as? DependencyContext
  }

  private static func newValue<Key: TestDependencyKey>(of key: Key.Type, in context: DependencyContext) -> Key.Value {
    switch context {
    case .test: return Key.testValue
    case .preview: return Key.previewValue
    case .live:
      if let liveKey = key as? any DependencyKey.Type, let value = liveKey.erasedLiveValue as? Key.Value {
        return value
      }
      reportNoLiveValue(key, value: Key.Value.self)
      return Key.testValue
    }
  }
}

extension DependencyKey {
  fileprivate static var erasedLiveValue: any Sendable { liveValue }
}
