extension SharedReaderKey {
  /// This kind of key with an initial value.
  ///
  /// ```swift
  /// extension SharedKey where Self == AppStorageKey<Bool>.Default {
  ///   static var isDimmed: Self { Self[.appStorage("isDimmed"), default: false] }
  /// }
  ///
  /// @Shared(.isDimmed) var isDimmed
  /// ```
  public typealias Default = _SharedKeyDefault<Self>
}

/// A key with a default value, to be written as `Default` of the key.
public struct _SharedKeyDefault<Base: SharedReaderKey>: SharedReaderKey {
  let base: Base
  let defaultValue: @Sendable () -> Base.Value

  /// A key with the value that a reference has until the key finds another one.
  public static subscript(
    key: Base, default value: @autoclosure @escaping @Sendable () -> Base.Value
  ) -> Self {
    Self(base: key, defaultValue: value)
  }

  /// The default value.
  public var initialValue: Base.Value { defaultValue() }

  /// The identity of the key without its default.
  public var id: Base.ID { base.id }

  /// Loads as the key does.
  public func load(context: LoadContext<Base.Value>, continuation: LoadContinuation<Base.Value>) {
    base.load(context: context, continuation: continuation)
  }

  /// Subscribes as the key does.
  public func subscribe(
    context: LoadContext<Base.Value>, subscriber: SharedSubscriber<Base.Value>
  ) -> SharedSubscription {
    base.subscribe(context: context, subscriber: subscriber)
  }
}

extension _SharedKeyDefault: CustomStringConvertible {
  /// The description of the key without its default.
  public var description: String { String(describing: base) }
}

extension _SharedKeyDefault: SharedKey where Base: SharedKey {
  /// Saves as the key does.
  public func save(_ value: Base.Value, context: SaveContext, continuation: SaveContinuation) {
    base.save(value, context: context, continuation: continuation)
  }
}
