// The names of keys in version 1, for code that names the built-in keys. A key with requirements of its own is written
// as a `SharedKey`.

/// The name of ``SharedKey`` in version 1.
public typealias PersistenceKey = SharedKey

/// The name of ``SharedReaderKey`` in version 1.
public typealias PersistenceReaderKey = SharedReaderKey

/// The name of a key's `Default` in version 1.
///
/// ```swift
/// extension PersistenceReaderKey where Self == PersistenceKeyDefault<AppStorageKey<Bool>> {
///   static var isDimmed: Self { PersistenceKeyDefault(.appStorage("isDimmed"), false) }
/// }
/// ```
public typealias PersistenceKeyDefault = _SharedKeyDefault

extension _SharedKeyDefault {
  /// A key with a default value, as written in version 1; see ``SharedReaderKey/Default``.
  public init(_ key: Base, _ value: @autoclosure @escaping @Sendable () -> Base.Value) {
    self = Self[key, default: value()]
  }
}
