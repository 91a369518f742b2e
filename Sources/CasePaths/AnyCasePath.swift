/// The two ways between an enum and the payload of one of its cases: embed a payload, extract it again.
public struct AnyCasePath<Root, Value>: Sendable {
  @usableFromInline let _embed: @Sendable (Value) -> Root
  @usableFromInline let _extract: @Sendable (Root) -> Value?

  /// Creates a case path from its two functions.
  @inlinable
  public init(embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) {
    _embed = embed
    _extract = extract
  }

  /// The enum value that has this payload.
  @inlinable public func embed(_ value: Value) -> Root { _embed(value) }

  /// `embed` as a function.
  @inlinable public var embedding: @Sendable (Value) -> Root { _embed }

  /// The payload, if the enum value is of this case.
  @inlinable public func extract(from root: Root) -> Value? { _extract(root) }
}
