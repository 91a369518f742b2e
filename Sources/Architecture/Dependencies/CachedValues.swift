internal import ConcurrencyExtras
internal import Synchronization

/// One call of ``prepareDependencies(_:)``.
package final class Preparation: Sendable {}

/// The default values of keys. Each is created once: for the process, or for each test.
///
/// Tests do not see each other's values. They do share them in detached tasks, and in a process without a module that
/// identifies the current test.
final class CachedValues: Sendable {
  /// The values of all ``DependencyValues`` that were not created anew.
  static let shared = CachedValues()

  private struct ID: Hashable {
    let key: ObjectIdentifier
    /// Nil for a value that is valid in all contexts.
    let context: DependencyContext?
    let test: AnyHashableSendable?
  }

  private struct Entry {
    let value: any Sendable
    let preparation: Preparation?
    /// The reports that were withheld when the value was created, for its first use.
    var withheld: [WithheldReports.Report] = []
  }

  private let entries = Mutex<[ID: Entry]>([:])
  private let creations = Mutex<[ID: RecursiveLock]>([:])

  /// The value of a key without an override.
  ///
  /// Keys create their values outside the lock, because they may read other dependencies. Other threads that read the
  /// same key meanwhile wait for the value.
  func value<Key: TestDependencyKey>(of key: Key.Type, in context: DependencyContext) -> Key.Value {
    let id = ID(key: ObjectIdentifier(key), context: context, test: CurrentTest.id)
    // In two steps: casting a missing value to an optional type would succeed.
    if let kept = kept(id), let value = kept as? Key.Value { return value }
    return creation(of: id).withLock {
      defer { endCreation(of: id) }
      if let kept = kept(id), let value = kept as? Key.Value { return value }
      // The value outlives the action that a hub's reducer handles, and must not depend on it.
      let (value, withheld) = ReducerSurroundings.withoutCurrent {
        WithheldReports.collect { Self.newValue(of: key, in: context) }
      }
      return keep(value, as: id, withheld) as? Key.Value ?? value
    }
  }

  // Neither generic nor inlined, so that they are compiled once and not for each key.

  @inline(never)
  private func kept(_ id: ID) -> (any Sendable)? {
    var withheld: [WithheldReports.Report] = []
    let value = entries.withLock { entries -> (any Sendable)? in
      guard let entry = entries[id] else { return nil }
      if !entry.withheld.isEmpty, case .reading = DependencyValues.phase {
        withheld = entry.withheld
        entries[id]?.withheld = []
      }
      return entry.value
    }
    for report in withheld { report() }
    return value
  }

  /// The lock for the creation of a key's value.
  ///
  /// It is recursive, so that a key that reads itself fails by its recursion and not by a deadlock.
  @inline(never)
  private func creation(of id: ID) -> RecursiveLock {
    creations.withLock { creations in
      if let creation = creations[id] { return creation }
      let creation = RecursiveLock()
      creations[id] = creation
      return creation
    }
  }

  @inline(never)
  private func endCreation(of id: ID) {
    _ = creations.withLock { $0.removeValue(forKey: id) }
  }

  /// Stores a new value unless there is one already.
  /// - Returns: The stored value.
  @inline(never)
  private func keep(_ value: any Sendable, as id: ID, _ withheld: [WithheldReports.Report]) -> any Sendable {
    let preparation: Preparation?
    switch DependencyValues.phase {
    case .preparing(let current): preparation = current
    case .overriding, .reading: preparation = nil
    }
    return entries.withLock { entries in
      if let entry = entries[id] { return entry.value }
      entries[id] = Entry(value: value, preparation: preparation, withheld: withheld)
      return value
    }
  }

  /// Sets a key's value before it is first used; in previews also later.
  /// - Returns: False, without setting it, if the key was used or prepared before.
  @discardableResult
  func prepare(
    _ key: ObjectIdentifier, in context: DependencyContext?, value: any Sendable, by preparation: Preparation
  ) -> Bool {
    let id = ID(key: key, context: context, test: CurrentTest.id)
    return entries.withLock { entries in
      if context != .preview, let entry = entries[id], entry.preparation !== preparation { return false }
      entries[id] = Entry(value: value, preparation: preparation)
      return true
    }
  }

  /// Returns true if the key's value was set before it was first used.
  func isPrepared(_ key: ObjectIdentifier, in context: DependencyContext) -> Bool {
    let id = ID(key: key, context: context, test: CurrentTest.id)
    return entries.withLock { $0[id]?.preparation != nil }
  }

  /// The context that a preparation set.
  var preparedContext: DependencyContext? {
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
