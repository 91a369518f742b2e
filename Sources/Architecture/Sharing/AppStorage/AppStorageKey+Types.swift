extension SharedReaderKey {
  /// A setting: `Bool`, `Int`, `Double`, `String`, `Data`, `URL`, `Date`, or an array of these.
  public static func appStorage<Value: AppStorageValue>(
    _ key: String, store: AppStorage? = nil
  ) -> Self where Self == AppStorageKey<Value> {
    AppStorageKey(
      key, store: store, decode: { Value(_appStorage: AppStorageRepresentation(json: $0)) },
      encode: { $0._appStorage.json })
  }

  /// An optional setting.
  public static func appStorage<Value: AppStorageValue>(
    _ key: String, store: AppStorage? = nil
  ) -> Self where Self == AppStorageKey<Value?> {
    AppStorageKey(
      key, store: store, decode: { Value(_appStorage: AppStorageRepresentation(json: $0)).map(Optional.some) },
      encode: { $0?._appStorage.json })
  }

  /// A setting with a raw value, such as a case of an enum.
  public static func appStorage<Value: RawRepresentable & Sendable>(
    _ key: String, store: AppStorage? = nil
  ) -> Self where Self == AppStorageKey<Value>, Value.RawValue: AppStorageValue {
    AppStorageKey(
      key, store: store,
      decode: { Value.RawValue(_appStorage: AppStorageRepresentation(json: $0)).flatMap(Value.init(rawValue:)) },
      encode: { $0.rawValue._appStorage.json })
  }

  /// An optional setting with a raw value.
  public static func appStorage<Value: RawRepresentable & Sendable>(
    _ key: String, store: AppStorage? = nil
  ) -> Self where Self == AppStorageKey<Value?>, Value.RawValue: AppStorageValue {
    AppStorageKey(
      key, store: store,
      decode: {
        Value.RawValue(_appStorage: AppStorageRepresentation(json: $0)).flatMap(Value.init(rawValue:)).map(
          Optional.some)
      },
      encode: { $0?.rawValue._appStorage.json })
  }

  /// A setting of a `Codable` type, in the encoding of `JSONEncoder`.
  ///
  /// If a setting cannot be decoded, it is a load error and the value does not change.
  @_disfavoredOverload
  public static func appStorage<Value: Codable & Sendable>(
    _ key: String, store: AppStorage? = nil
  ) -> Self where Self == AppStorageKey<Value> {
    AppStorageKey(key, store: store, decode: { try $0.decoded() }, encode: { try JSONValue(encoding: $0) })
  }

  /// An optional setting of a `Codable` type.
  @_disfavoredOverload
  public static func appStorage<Value: Codable & Sendable>(
    _ key: String, store: AppStorage? = nil
  ) -> Self where Self == AppStorageKey<Value?> {
    AppStorageKey(
      key, store: store, decode: { .some(try $0.decoded() as Value) }, encode: { try $0.map(JSONValue.init(encoding:)) }
    )
  }
}
