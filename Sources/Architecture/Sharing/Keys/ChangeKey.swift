/// A key that saves what a change has changed, and not the value: others may change the same value at the same time.
///
/// Its source combines the changes of all and reports the result. While a local change has not been passed to the key, the
/// reference does not take a value of the source, which cannot contain the change; the key reports the combined value
/// next.
package protocol ChangeKey<Value>: SharedKey {
  /// Saves a change and resumes `continuation`, once, now or later.
  ///
  /// Called for each change in order, never concurrently. It calls `continuation.taken()` once when all values that it
  /// reports from then on contain the change: until then the reference takes none. On request, `base` and `value` are the same, and the
  /// continuation is resumed when all earlier changes are saved.
  func save(from base: Value, to value: Value, context: SaveContext, continuation: SaveContinuation)
}

extension ChangeKey {
  /// Saves a request, which has no change of its own.
  public func save(_ value: Value, context: SaveContext, continuation: SaveContinuation) {
    save(from: value, to: value, context: context, continuation: continuation)
  }
}

extension _SharedKeyDefault: ChangeKey where Base: ChangeKey {
  package func save(
    from base: Base.Value, to value: Base.Value, context: SaveContext, continuation: SaveContinuation
  ) {
    self.base.save(from: base, to: value, context: context, continuation: continuation)
  }
}
