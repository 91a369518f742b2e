internal import JSONText
internal import Wire

/// A part of a path or an action in a user's notation.
struct NameToken: Equatable {
  enum Kind: Equatable {
    /// `.name`.
    case name(String, isQuoted: Bool)
    /// `[id]`.
    case id(NameLiteral)
    /// `?`, the value in an optional.
    case unwrapped
  }

  var kind: Kind
  /// Its range in the text, in bytes.
  var range: Range<Int>
}

/// An id between brackets in a user's notation.
enum NameLiteral: Equatable {
  /// `"text"`.
  case quoted(String)
  /// A number, a UUID, a word.
  case word(String)
  /// `#7`, the id of a stack's element.
  case stackID(String)
  /// `h'…'`, deterministic CBOR in hexadecimal.
  case encoded([UInt8])
}

/// Splits a path or an action into its parts: `todos.todos[3].text`, `` `strange name`.x ``, `path[#2]`, `alert?`.
struct NameScanner {
  private let text: String
  private let bytes: [UInt8]
  private var position = 0

  private init(_ text: String) {
    (self.text, bytes) = (text, Array(text.utf8))
  }

  /// The parts of a text; none for an empty one and for `.`. A trailing point is ignored.
  static func tokens(of text: String) throws(SchemaNameError) -> [NameToken] {
    var scanner = NameScanner(text)
    var tokens: [NameToken] = []
    var needsPoint = false
    while let byte = scanner.next {
      let start = scanner.position
      switch byte {
      case UInt8(ascii: "."):
        scanner.position += 1
        needsPoint = false
        guard let next = scanner.next else { break }
        if next == byte { throw scanner.failure(scanner.position, "a name must stand between two points") }
        continue
      case UInt8(ascii: "["):
        tokens.append(NameToken(kind: .id(try scanner.bracket()), range: start..<scanner.position))
        needsPoint = true
      case UInt8(ascii: "?"):
        scanner.position += 1
        tokens.append(NameToken(kind: .unwrapped, range: start..<scanner.position))
        needsPoint = true
      default:
        guard !needsPoint else { throw scanner.failure(start, "expected '.', '[' or '?'") }
        tokens.append(try scanner.name())
        needsPoint = true
      }
    }
    return tokens
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func failure(_ place: Int, _ reason: String) -> SchemaNameError {
    SchemaNameError(text, min(place, bytes.count)..<bytes.count, "'\(text)': \(reason)")
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private mutating func name() throws(SchemaNameError) -> NameToken {
    let start = position
    guard next == UInt8(ascii: "`") else {
      while let byte = next, !NameText.delimiters.contains(byte) { position += 1 }
      guard position > start else { throw failure(start, "expected a name") }
      return NameToken(kind: .name(text(start..<position), isQuoted: false), range: start..<position)
    }
    position += 1
    var name: [UInt8] = []
    while let byte = next {
      position += 1
      if byte == UInt8(ascii: "`") {
        guard next == byte else {
          return NameToken(
            kind: .name(String(decoding: name, as: UTF8.self), isQuoted: true), range: start..<position)
        }
        position += 1
      }
      name.append(byte)
    }
    throw failure(start, "the closing ` is missing")
  }

  private mutating func bracket() throws(SchemaNameError) -> NameLiteral {
    let start = position
    position += 1
    let literal: NameLiteral
    if next == UInt8(ascii: "\"") {
      literal = .quoted(try quoted())
    } else {
      let begin = position
      while let byte = next, byte != UInt8(ascii: "]") { position += 1 }
      let word = text(begin..<position)
      if word.hasPrefix("h'"), word.hasSuffix("'"), let encoded = [UInt8](hexadecimal: word.dropFirst(2).dropLast()) {
        literal = .encoded(encoded)
      } else {
        literal = word.hasPrefix("#") ? .stackID(String(word.dropFirst())) : .word(word)
      }
      guard !word.isEmpty else { throw failure(start, "an id must stand between the brackets") }
    }
    guard next == UInt8(ascii: "]") else { throw failure(start, "the closing ] is missing") }
    position += 1
    return literal
  }

  private mutating func quoted() throws(SchemaNameError) -> String {
    let start = position
    position += 1
    var content: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\"): content += try escaped()
      default: content.append(byte)
      }
    }
    throw failure(start, "the closing \" is missing")
  }

  private mutating func escaped() throws(SchemaNameError) -> [UInt8] {
    let start = position - 1
    guard let byte = next else { throw failure(start, "something must follow \\") }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"):
      guard let end = bytes[position...].firstIndex(of: UInt8(ascii: "}")), next == UInt8(ascii: "{"),
        let number = UInt32(text(position + 1..<end), radix: 16), let scalar = Unicode.Scalar(number)
      else { throw failure(start, "a character by its number is written as \\u{1F3B2}") }
      position = end + 1
      return Array(String(Character(scalar)).utf8)
    default: return [byte]
    }
  }
}

/// Writes the parts of a path or an action.
package enum NameText {
  /// The bytes that end an unquoted name.
  static let delimiters = Set(".[]?`\"' \t\n(){},:".utf8)

  /// A name as written in a path.
  package static func name(_ name: String) -> String {
    let isPlain =
      !name.isEmpty && name.utf8.allSatisfy { !delimiters.contains($0) }
      && name.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0.isPrintable }
    return isPlain
      ? name : "`" + name.split(separator: "`", omittingEmptySubsequences: false).joined(separator: "``") + "`"
  }

  /// A quoted text. Characters that would end it or are invisible are escaped.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where !scalar.isPrintable: result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
