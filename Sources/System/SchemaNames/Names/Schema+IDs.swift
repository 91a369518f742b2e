internal import JSONText
package import Wire

extension Schema {
  private static let integers: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "Int128", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128",
    "StackElementID",
  ]
  /// The types whose values need no quotes between brackets.
  private static let bare: Set<String> = integers.union(["UUID", "Decimal"])

  /// The bytes of an id in a user's notation.
  func id(_ literal: NameLiteral, _ type: SchemaType, isInStack: Bool) throws(SchemaValueError) -> [UInt8] {
    let json = SchemaJSON(self)
    switch literal {
    case .encoded(let bytes):
      do throws(WireError) {
        try check(bytes, type)
      } catch {
        throw SchemaValueError("", "\(error)")
      }
      return bytes
    case .stackID(let digits):
      guard isInStack else { throw SchemaValueError("", "only elements of stacks are named with #") }
      return try json.value(of: .string(digits), as: type).encoded()
    case .word(let word) where isInStack:
      throw SchemaValueError("", "an element of a stack is named with #, as in [#\(word)]")
    case .quoted(let text): return try json.value(of: .string(text), as: type).encoded()
    case .word(let word):
      do throws(SchemaValueError) {
        return try json.value(of: .string(word), as: type).encoded()
      } catch {
        // Text is tried first, because a text may look like a number.
        let other: JSONValue? =
          switch word {
          case "true", "false": .bool(word == "true")
          default: Double(word) == nil ? nil : .number(word)
          }
        guard let other, let value = try? json.value(of: other, as: type) else { throw error }
        return value.encoded()
      }
    }
  }

  /// An id between brackets.
  package func text(ofID id: [UInt8], _ type: SchemaType, isInStack: Bool) -> String {
    guard (try? check(id, type)) != nil, let value = try? unsafe CBORValue(decoding: id.span.bytes) else {
      return "[h'\(id.hexadecimal)']"
    }
    let isBare = if case .named(let name, _) = type { Self.bare.contains(name) } else { false }
    let text: String
    switch SchemaJSON(self).json(of: value, as: type) {
    case .string(let word) where isBare: text = word
    case .string(let content): text = NameText.quoted(content)
    case .number(let digits): text = digits
    case .bool(let value): text = "\(value)"
    case .null, .array, .object: text = "h'\(id.hexadecimal)'"
    }
    return "[\(isInStack ? "#" : "")\(text)]"
  }
}

extension Schema {
  /// The id of an element, or a key, as written between brackets; a text also without quotes.
  ///
  /// - Parameter type: The type of the collection: an identified array, a stack or a dictionary.
  package func id(named word: String, ofElementsIn type: SchemaType) throws(SchemaValueError) -> CBORValue {
    let target = ChangeEdit("", type, .remove([]))
    let isInStack =
      if case .named(let name, let parts) = type { NamedLayout(name, parts.count) == .stack } else { false }
    var literal = NameLiteral.word(word)
    if let tokens = try? NameScanner.tokens(of: "[\(word)]"), tokens.count == 1, case .id(let found) = tokens[0].kind {
      literal = found
    } else if isInStack, word.hasPrefix("#") {
      literal = .stackID(String(word.dropFirst()))
    }
    let bytes = try id(literal, target.keyType, isInStack: isInStack)
    do throws(WireError) { return try unsafe CBORValue(decoding: bytes.span.bytes) } catch {
      throw SchemaValueError("", "\(error.problem)")
    }
  }

  /// The path of the collection of an element, which a path in users' notation ends with; nil for another path.
  package func collectionName(ofElementNamed text: String) -> String? {
    guard let last = try? NameScanner.tokens(of: text).last, case .id = last.kind else { return nil }
    return String(decoding: Array(text.utf8)[..<last.range.lowerBound], as: UTF8.self)
  }
}
