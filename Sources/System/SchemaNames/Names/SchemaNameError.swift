internal import Spelling

/// A path or an action in a user's notation that a schema does not have: the place, the reason, and suggestions.
public struct SchemaNameError: Error, Hashable, Sendable {
  /// The user's text.
  public let text: String
  /// The position of the error in bytes of UTF-8.
  public let range: Range<Int>
  /// A clause that names the place, such as `AppFeature.State has no field 'cuonter'`.
  public let reason: String
  /// Complete suggestions, the most likely one first.
  public let suggestions: [String]

  init(_ text: String, _ range: Range<Int>, _ reason: String, suggestions: [String] = []) {
    (self.text, self.range, self.reason, self.suggestions) = (text, range, reason, suggestions)
  }
}

extension SchemaNameError {
  /// The error for the name of a view, if the hub's feature declares none.
  package static func noViews(_ text: String) -> Self {
    Self(text, 0..<text.utf8.count, "the feature of this hub declares no views")
  }
}

extension SchemaNameError: CustomStringConvertible {
  /// The reason, and the suggestions as a question.
  public var description: String { reason + Spelling.question(suggestions) }
}
