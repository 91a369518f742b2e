internal import Spelling
package import Wire

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
  /// The name of the type that has no field or case of this name, as in the schema's definitions; nil for other reasons.
  public let type: String?

  init(
    _ text: String, _ range: Range<Int>, _ reason: String, suggestions: [String] = [], type: String? = nil
  ) {
    (self.text, self.range, self.reason) = (text, range, reason)
    (self.suggestions, self.type) = (suggestions, type)
  }
}

extension SchemaNameError {
  /// The error for the name of a view, if the hub's feature declares none.
  package static func noViews(_ text: String) -> Self {
    Self(text, 0..<text.utf8.count, "the feature of this hub declares no views")
  }

  /// The error for the text with `view:`, if this one is for the path after it among the views of a hub.
  package func inViews(_ views: Schema) -> Self {
    let prefix = RootedPath.viewPrefix
    let length = prefix.utf8.count
    let names = views.viewNames
    let first = String(text.prefix { $0 != "." && $0 != "[" })
    var (reason, suggestions) = (reason, suggestions.map { prefix + $0 })
    if range.lowerBound == 0, !first.isEmpty, !names.contains(first) {
      reason = "the feature of this hub declares no view '\(first)'"
      if suggestions.isEmpty, names.count <= 8 { suggestions = names.map { prefix + $0 } }
    }
    return Self(
      prefix + text, range.lowerBound + length..<range.upperBound + length, reason, suggestions: suggestions, type: type
    )
  }
}

extension SchemaNameError: CustomStringConvertible {
  /// The reason, and the suggestions as a question.
  public var description: String { reason + Spelling.question(suggestions) }
}
