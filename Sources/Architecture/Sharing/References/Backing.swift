/// A type-erased key: the source and destination of a reference's value.
struct Backing<Value>: Sendable {
  let load: @Sendable (LoadContext<Value>, LoadContinuation<Value>) -> Void
  let subscribe: @Sendable (LoadContext<Value>, SharedSubscriber<Value>) -> SharedSubscription
  /// Describes the key.
  let describe: @Sendable () -> String
  /// Nil for a read-only key.
  let save: (@Sendable (Value, SaveContext, SaveContinuation) -> Void)?
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
    guard let key = key as? any SharedKey<Value> else {
      save = nil
      return
    }
    save = Self.saving(key)
  }

  private static func saving<Key: SharedKey<Value>>(
    _ key: Key
  ) -> @Sendable (Value, SaveContext, SaveContinuation) -> Void {
    { key.save($0, context: $1, continuation: $2) }
  }
}

/// A key that can tell at any time whether its source has changed, before the source reports it.
protocol OutdatedKey: Sendable {
  func isOutdated() -> Bool
}

extension _SharedKeyDefault: OutdatedKey where Base: OutdatedKey {
  func isOutdated() -> Bool { base.isOutdated() }
}
