internal import Spelling

/// A JSON value that does not match a schema's type: the place, the reason, and suggestions.
public struct SchemaValueError: Error, Hashable, Sendable {
  /// The place in the value, such as `todos[2].text`; empty for the whole value.
  public internal(set) var place: String
  /// A clause, such as `expected a String`.
  public let reason: String
  /// Suggested names.
  public let suggestions: [String]
  /// The name of the type that has no field or case of this name, as in the schema's definitions; nil for other reasons.
  public let type: String?

  package init(_ place: String, _ reason: String, suggestions: [String] = [], type: String? = nil) {
    (self.place, self.reason, self.suggestions, self.type) = (place, reason, suggestions, type)
  }

  /// The same error as seen from the enclosing value.
  func inside(_ part: String) -> SchemaValueError {
    var error = self
    error.place = place.isEmpty || place.hasPrefix("[") ? part + place : "\(part).\(place)"
    return error
  }
}

extension SchemaValueError: CustomStringConvertible {
  /// The place, the reason, and the suggestions as a question.
  public var description: String { (place.isEmpty ? "" : "\(place): ") + reason + Spelling.question(suggestions) }
}
