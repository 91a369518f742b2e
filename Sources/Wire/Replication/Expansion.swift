/// The calls that `@Replicated` generates for fields and payloads.
///
/// Each exists twice. The first is a transparent call of the method with the same name, which disappears in an
/// optimised build. The second takes a value of any type. With it, the compiler reports a type that is not `Replicated`
/// once, where `schema(in:)` names the field (`SchemaBuilder.Fields.replicated`), and not at each of these calls. It
/// never runs: code that would call it does not compile.
public enum Expansion {
  /// Writes a value.
  @_transparent
  public static func encode<Value: Replicated>(_ value: Value, to encoder: inout CBOREncoder) {
    value.encode(to: &encoder)
  }

  /// Never runs.
  @_disfavoredOverload
  public static func encode<Value>(_ value: Value, to encoder: inout CBOREncoder) { unreachable() }

  /// Reads a value.
  @_transparent
  public static func value<Value: Replicated>(from decoder: inout CBORDecoder) throws(WireError) -> Value {
    try Value(from: &decoder)
  }

  /// Never runs.
  @_disfavoredOverload
  public static func value<Value>(from decoder: inout CBORDecoder) throws(WireError) -> Value { unreachable() }

  /// Reads a field with a property wrapper such as `@Presents`, whose value may contain others of its type.
  @_transparent
  public static func nested<Value: Replicated>(from decoder: inout CBORDecoder) throws(WireError) -> Value {
    try decoder.nested()
  }

  /// Never runs.
  @_disfavoredOverload
  public static func nested<Value>(from decoder: inout CBORDecoder) throws(WireError) -> Value { unreachable() }

  /// Returns true if the bytes of two values differ.
  @_transparent
  public static func differs<Value: Replicated>(_ value: Value, from base: Value) -> Bool {
    value.differs(from: base)
  }

  /// Never runs.
  @_disfavoredOverload
  public static func differs<Value>(_ value: Value, from base: Value) -> Bool { unreachable() }

  /// Writes the delta that turns `base` into the value.
  @_transparent
  public static func encodeDelta<Value: Replicated>(
    _ value: Value, from base: Value, to encoder: inout CBOREncoder
  ) {
    value.encodeDelta(from: base, to: &encoder)
  }

  /// Never runs.
  @_disfavoredOverload
  public static func encodeDelta<Value>(_ value: Value, from base: Value, to encoder: inout CBOREncoder) {
    unreachable()
  }

  /// Reads a delta and applies it.
  @_transparent
  public static func apply<Value: Replicated>(
    _ decoder: inout CBORDecoder, to value: inout Value
  ) throws(WireError) {
    try value.apply(delta: &decoder)
  }

  /// Never runs.
  @_disfavoredOverload
  public static func apply<Value>(_ decoder: inout CBORDecoder, to value: inout Value) throws(WireError) {
    unreachable()
  }

  /// The part of a value that a path leads to.
  @_transparent
  public static func part<Value: Replicated>(of value: Value, at path: ArraySlice<PathStep>) -> (any Replicated)? {
    value.part(at: path)
  }

  /// Never runs.
  @_disfavoredOverload
  public static func part<Value>(of value: Value, at path: ArraySlice<PathStep>) -> (any Replicated)? {
    unreachable()
  }

  /// A missing value of the type of `field`, which generated code cannot always name.
  @inlinable
  public static func absent<Root, Value>(_ field: (Root) -> Value) -> Value? { nil }

  /// A value converted to the type that it is known to have, which generated code cannot always name.
  public static func same<Value, Known>(_ value: Value) -> Known {
    guard let known = value as? Known else { preconditionFailure("\(Value.self) is not \(Known.self)") }
    return known
  }

  private static func unreachable() -> Never {
    preconditionFailure("a value of a type that is not Replicated was replicated")
  }
}
