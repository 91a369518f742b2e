internal import ConcurrencyExtras
internal import Synchronization

/// One call of ``prepareDependencies(_:)``.
package final class Preparation: Sendable {}

/// The values that keys gave, so that each is made once: in the process, or in each test.
///
/// A value that a test was given is not seen by another: where it cannot be told which test runs, test values are not
/// kept at all.
enum CachedValues {
  private struct ID: Hashable {
    let key: ObjectIdentifier
    /// Nil for what holds in every context.
    let context: DependencyContext?
    let test: AnyHashableSendable?
  }

  private struct Entry {
    let value: any Sendable
    let preparation: Preparation?
  }

  private static let entries = Mutex<[ID: Entry]>([:])

  /// The value of a key that nobody overrode.
  ///
  /// Keys make their values outside the lock, since they may read other dependencies; of two that are made at the
  /// same moment the first is kept.
  static func value<Key: TestDependencyKey>(of key: Key.Type, in context: DependencyContext) -> Key.Value {
    let id = ID(key: ObjectIdentifier(key), context: context, test: CurrentTest.id)
    if let value = kept(id) as? Key.Value { return value }
    let value = newValue(of: key, in: context)
    return keep(value, as: id) as? Key.Value ?? value
  }

  // Not generic and not inlined, so that they are compiled once and not for each key.

  @inline(never)
  private static func kept(_ id: ID) -> (any Sendable)? {
    entries.withLock { $0[id]?.value }
  }

  /// Keeps a new value, where values are kept, unless another is there already.
  /// - Returns: The value that holds.
  @inline(never)
  private static func keep(_ value: any Sendable, as id: ID) -> any Sendable {
    let preparation: Preparation?
    switch DependencyValues.phase {
    case .preparing(let current): preparation = current
    case .overriding where id.context == .test: return value
    case .overriding, .reading:
      if id.context == .test, id.test == nil { return value }
      preparation = nil
    }
    return entries.withLock { entries in
      if let entry = entries[id] { return entry.value }
      entries[id] = Entry(value: value, preparation: preparation)
      return value
    }
  }

  /// Sets a key's value before anyone has asked for it.
  /// - Returns: False, without a change, if somebody has, or another preparation came first.
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
    return entries.withLock { $0[id]?.value } as? DependencyContext
  }

  private static func newValue<Key: TestDependencyKey>(of key: Key.Type, in context: DependencyContext) -> Key.Value {
    switch context {
    case .test: return Key.testValue
    case .preview: return Key.previewValue
    case .live:
      if let value = (key as? any DependencyKey.Type)?.erasedLiveValue as? Key.Value { return value }
      reportNoLiveValue(key, value: Key.Value.self)
      return Key.testValue
    }
  }
}

extension DependencyKey {
  fileprivate static var erasedLiveValue: any Sendable { liveValue }
}
