/// A place that a shared value is read from and saved to.
///
/// The value of `@Shared(key)` is loaded when the first reference of the key's identity appears, follows changes from
/// outside, and is saved after each change.
public protocol SharedKey<Value>: SharedReaderKey {
  /// Saves a value and resumes `continuation`, once, now or later.
  ///
  /// Called for one change after the other, in their order, never from two threads at once.
  func save(_ value: Value, context: SaveContext, continuation: SaveContinuation)
}

/// Why a value is saved.
public enum SaveContext: Hashable, Sendable {
  /// It has changed.
  case didSet
  /// Somebody asked for it with `save()`, so it should not be put off.
  case userInitiated
}
