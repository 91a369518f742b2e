internal import ConcurrencyExtras
internal import Synchronization

/// One call of ``prepareDependencies(_:)``.
package final class Preparation: Sendable {}

/// The default values of keys. Each is created once: for the process, or for each test.
///
/// Tests do not see each other's values. They do share them in detached tasks, and in a process without a module that
/// identifies the current test.
enum CachedValues {
  private struct ID: Hashable {
    let key: ObjectIdentifier
    /// Nil for a value that is valid in all contexts.
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
  /// Keys create their values outside the lock, because they may read other dependencies. If two are created
  /// concurrently, the first is kept.
  static func value<Key: TestDependencyKey>(of key: Key.Type, in context: DependencyContext) -> Key.Value {
    let id = ID(key: ObjectIdentifier(key), context: context, test: CurrentTest.id)
    // In two steps: casting a missing value to an optional type would succeed.
    if let kept = kept(id), let value = kept as? Key.Value { return value }
    let value = newValue(of: key, in: context)
    return keep(value, as: id) as? Key.Value ?? value
  }

  // Neither generic nor inlined, so that they are compiled once and not for each key.

  @inline(never)
  private static func kept(_ id: ID) -> (any Sendable)? {
    entries.withLock { $0[id]?.value }
  }

  /// Stores a new value unless there is one already.
  /// - Returns: The stored value.
  @inline(never)
  private static func keep(_ value: any Sendable, as id: ID) -> any Sendable {
    let preparation: Preparation?
    switch DependencyValues.phase {
    case .preparing(let current): preparation = current
    // A test value that was created without a report must not suppress the report of its first use.
    case .overriding where id.context == .test: return value
    case .overriding, .reading: preparation = nil
    }
    return entries.withLock { entries in
      if let entry = entries[id] { return entry.value }
      entries[id] = Entry(value: value, preparation: preparation)
      return value
    }
  }

  /// Sets a key's value before it is first used.
  /// - Returns: False, without setting it, if the key was used or prepared before.
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
