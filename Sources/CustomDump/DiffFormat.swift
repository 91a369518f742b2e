/// The marks in front of a difference's lines.
public struct DiffFormat: Hashable, Sendable {
  /// The mark of a line that only the first value has.
  public var first: String
  /// The mark of a line that only the second value has.
  public var second: String
  /// The mark of a line that both values have.
  public var both: String

  /// A format of three marks, which should be equally wide.
  public init(first: String, second: String, both: String) {
    (self.first, self.second, self.both) = (first, second, both)
  }

  /// `-`, `+` and a space: what `diff` tools and their syntax highlighting know.
  public static let `default` = Self(first: "-", second: "+", both: " ")

  /// `−` (minus sign), `+` and a figure space, which are equally wide in proportional fonts too, such as those that
  /// failures of tests are shown in.
  public static let proportional = Self(first: "\u{2212}", second: "+", both: "\u{2007}")
}
