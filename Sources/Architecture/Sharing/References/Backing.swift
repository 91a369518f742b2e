/// A type-erased key: the source and destination of a reference's value.
struct Backing<Value>: Sendable {
  let load: @Sendable (LoadContext<Value>, LoadContinuation<Value>) -> Void
  let subscribe: @Sendable (LoadContext<Value>, SharedSubscriber<Value>) -> SharedSubscription
  /// Describes the key.
  let describe: @Sendable () -> String
  /// Saves a change, from the value before it to that after it; nil for a read-only key.
  let save: (@Sendable (_ base: Value, _ value: Value, SaveContext, SaveContinuation) -> Void)?
  /// True if the source combines changes: see `ChangeKey`.
  let combinesChanges: Bool
  /// Returns true if the source has changed since the key last read or wrote it; nil for a key that cannot tell.
  let isOutdated: (@Sendable () -> Bool)?

  init<Key: SharedReaderKey<Value>>(_ key: Key) {
    describe = { String(describing: key) }
    load = { key.load(context: $0, continuation: $1) }
    subscribe = { key.subscribe(context: $0, subscriber: $1) }
    if let key = key as? any OutdatedKey {
      isOutdated = { key.isOutdated() }
    } else {
      isOutdated = nil
    }
    combinesChanges = key is any ChangeKey<Value>
    if let key = key as? any ChangeKey<Value> {
      save = Self.savingChanges(key)
    } else if let key = key as? any SharedKey<Value> {
      save = Self.saving(key)
    } else {
      save = nil
    }
  }

  private static func saving<Key: SharedKey<Value>>(
    _ key: Key
  ) -> @Sendable (Value, Value, SaveContext, SaveContinuation) -> Void {
    { key.save($1, context: $2, continuation: $3) }
  }

  private static func savingChanges<Key: ChangeKey<Value>>(
    _ key: Key
  ) -> @Sendable (Value, Value, SaveContext, SaveContinuation) -> Void {
    { key.save(from: $0, to: $1, context: $2, continuation: $3) }
  }
}

/// A key that can tell at any time whether its source has changed, before the source reports it.
protocol OutdatedKey: Sendable {
  func isOutdated() -> Bool
}

extension _SharedKeyDefault: OutdatedKey where Base: OutdatedKey {
  func isOutdated() -> Bool { base.isOutdated() }
}
