internal import JSONParser
internal import JSONText
internal import Wire

extension Tool {
  /// Parses a word as JSON, or as plain text where the type is a text. A note says if it could also be other JSON.
  func value(_ word: String, _ type: SchemaType?) throws -> JSONValue {
    if let type, isTextual(type), !word.hasPrefix("\"") {
      guard word == "null" else {
        if (try? JSONValue(parsing: word)) != nil { note("\(word) is sent as a text; write '\"\(word)\"' to say so") }
        return .string(word)
      }
      guard case .named("Optional", _) = type else {
        throw ToolFailure(.unknownName, "null is not a text; write '\"null\"' for the text of four letters")
      }
      note("null is sent as nil; write '\"null\"' for the text of four letters")
      return .null
    }
    do throws(JSONError) {
      return try JSONValue(parsing: word)
    } catch {
      // Quotes are optional for single words, such as the name of a case, a UUID or a date.
      guard word.allSatisfy({ $0.isLetter || $0.isNumber || "-_:.+".contains($0) }), !word.isEmpty else { throw error }
      return .string(word)
    }
  }

  private func isTextual(_ type: SchemaType) -> Bool {
    switch type {
    case .named("Optional", let parts): parts.first.map { isTextual($0) } ?? false
    case .named("raw", let parts) where parts.count == 2: isTextual(parts[1])
    case .named(let name, _): ["String", "Substring", "Character", "Unicode.Scalar", "URL", "TextState"].contains(name)
    case .definition: false
    }
  }
}
