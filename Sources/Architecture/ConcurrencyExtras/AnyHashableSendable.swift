/// A type-erased hashable and sendable value, as a key of a dictionary that tasks share.
///
/// ```swift
/// var tasks: [AnyHashableSendable: Task<Void, Never>] = [:]
/// tasks[AnyHashableSendable(TimerID())] = …
/// ```
public struct AnyHashableSendable: Hashable, Sendable {
  /// The wrapped value.
  public let base: any Hashable & Sendable

  /// Wraps a value, unless it is wrapped already.
  public init(_ base: some Hashable & Sendable) {
    self.base = (base as? AnyHashableSendable)?.base ?? base
  }

  /// Wraps a value whose type is not known.
  @_disfavoredOverload
  public init(_ base: any Hashable & Sendable) {
    func wrap(_ base: some Hashable & Sendable) -> AnyHashableSendable { AnyHashableSendable(base) }
    self = wrap(base)
  }

  /// Returns true if both wrap equal values of the same type.
  public static func == (lhs: AnyHashableSendable, rhs: AnyHashableSendable) -> Bool {
    AnyHashable(lhs.base) == AnyHashable(rhs.base)
  }

  /// Hashes the wrapped value.
  public func hash(into hasher: inout Hasher) {
    AnyHashable(base).hash(into: &hasher)
  }
}

extension AnyHashableSendable: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The value's own description.
  public var description: String { String(describing: base) }
  /// `AnyHashableSendable(` … `)` around the value's own debug description.
  public var debugDescription: String { "AnyHashableSendable(\(String(reflecting: base)))" }
  /// The value's own mirror.
  public var customMirror: Mirror { Mirror(reflecting: base) }
}

extension AnyHashableSendable: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// Wraps a string.
  public init(stringLiteral value: String) { self.init(value) }
  /// Wraps a number.
  public init(integerLiteral value: Int) { self.init(value) }
}

extension AnyHashableSendable: ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral {
  /// Wraps a truth value.
  public init(booleanLiteral value: Bool) { self.init(value) }
  /// Wraps a floating-point number.
  public init(floatLiteral value: Double) { self.init(value) }
}

extension AnyHashableSendable: _HasCustomAnyHashableRepresentation {
  /// The wrapped value, so that it is the same key in a dictionary of `AnyHashable` whether it is wrapped or not.
  public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(base) }
}
