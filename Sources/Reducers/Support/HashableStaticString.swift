/// A file's name as the argument of a subscript that key paths can lead through: their arguments are hashable.
public struct _HashableStaticString: ExpressibleByStringLiteral, Hashable, Sendable {
  /// The text.
  public let rawValue: StaticString

  /// The text of a literal.
  public init(stringLiteral value: StaticString) {
    rawValue = value
  }

  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue.description == rhs.rawValue.description }
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue.description) }
}
