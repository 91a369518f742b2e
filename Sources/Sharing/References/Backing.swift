/// A type-erased key: the source and destination of a reference's value.
struct Backing<Value>: Sendable {
  let load: @Sendable (LoadContext<Value>, LoadContinuation<Value>) -> Void
  let subscribe: @Sendable (LoadContext<Value>, SharedSubscriber<Value>) -> SharedSubscription
  /// Describes the key.
  let describe: @Sendable () -> String
  /// Nil for a read-only key.
  let save: (@Sendable (Value, SaveContext, SaveContinuation) -> Void)?

  init<Key: SharedReaderKey<Value>>(_ key: Key) {
    describe = { String(describing: key) }
    load = { key.load(context: $0, continuation: $1) }
    subscribe = { key.subscribe(context: $0, subscriber: $1) }
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
