internal import Spelling

/// A path or an action, as somebody has written it, that a schema does not have: at which place, why, and what was
/// probably meant.
public struct SchemaNameError: Error, Hashable, Sendable {
  /// What was written.
  public let text: String
  /// Where the mistake stands in it, in bytes of UTF-8.
  public let range: Range<Int>
  /// A clause that names the place, such as `AppFeature.State has no field 'cuonter'`.
  public let reason: String
  /// What may have been meant, whole, the likeliest first.
  public let suggestions: [String]

  init(_ text: String, _ range: Range<Int>, _ reason: String, suggestions: [String] = []) {
    (self.text, self.range, self.reason, self.suggestions) = (text, range, reason, suggestions)
  }
}

extension SchemaNameError: CustomStringConvertible {
  /// The reason, and the suggestions as a question.
  public var description: String { reason + Spelling.question(suggestions) }
}
