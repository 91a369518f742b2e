/// The marks at the beginning of a difference's lines.
public struct DiffFormat: Hashable, Sendable {
  /// The mark of a line that only the first value has.
  public var first: String
  /// The mark of a line that only the second value has.
  public var second: String
  /// The mark of a line that both values have.
  public var both: String

  /// Creates a format with three marks, which should have the same width.
  public init(first: String, second: String, both: String) {
    (self.first, self.second, self.both) = (first, second, both)
  }

  /// `-`, `+` and a space, as known to `diff` tools and their syntax highlighting.
  public static let `default` = Self(first: "-", second: "+", both: " ")

  /// `−` (minus sign), `+` and a figure space, which also have the same width in proportional fonts, such as those in
  /// which test failures are shown.
  public static let proportional = Self(first: "\u{2212}", second: "+", both: "\u{2007}")
}
