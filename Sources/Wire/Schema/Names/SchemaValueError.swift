internal import Spelling

/// A JSON value that is no value of a schema's type: at which place in it, why, and what was probably meant.
public struct SchemaValueError: Error, Hashable, Sendable {
  /// The place in the value, such as `todos[2].text`; empty for the whole value.
  public internal(set) var place: String
  /// A clause, such as `a String must stand here`.
  public let reason: String
  /// The names that may have been meant.
  public let suggestions: [String]

  init(_ place: String, _ reason: String, suggestions: [String] = []) {
    (self.place, self.reason, self.suggestions) = (place, reason, suggestions)
  }

  /// The same error in a value around the one that it was found in.
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
