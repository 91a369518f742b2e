/// A place from which a shared value is loaded and to which it is saved.
///
/// The value of `@Shared(key)` is loaded when the first reference with the key's identity is created. It follows
/// external changes and is saved after each change.
public protocol SharedKey<Value>: SharedReaderKey {
  /// Saves a value and resumes `continuation`, once, now or later.
  ///
  /// Called for each change in order, never concurrently.
  func save(_ value: Value, context: SaveContext, continuation: SaveContinuation)
}

/// The reason for saving a value.
public enum SaveContext: Hashable, Sendable {
  /// It has changed.
  case didSet
  /// `save()` was called, so saving should not be delayed.
  case userInitiated
}
