/// A file name as a subscript argument of key paths, which must be hashable.
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
