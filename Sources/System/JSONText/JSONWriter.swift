// Everything that prints JSON makes a `JSONValue`, which this writes.

extension JSONValue: CustomStringConvertible {
  /// The JSON text on one line, without spaces.
  ///
  /// Characters that control a terminal or change the direction of writing are escaped.
  public var description: String {
    var text = ""
    write(to: &text)
    return text
  }

  /// Appends the JSON text.
  public func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let digits): text += digits
    case .string(let value): Self.write(value, to: &text)
    case .array(let items):
      text += "["
      for (index, item) in items.enumerated() {
        if index > 0 { text += "," }
        item.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.enumerated() {
        if index > 0 { text += "," }
        Self.write(member.name, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }

  private static func write(_ value: String, to text: inout String) {
    text += "\""
    if value.utf8.allSatisfy({ (0x20..<0x7f).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      text += value
    } else {
      for scalar in value.unicodeScalars {
        switch scalar {
        case "\"": text += "\\\""
        case "\\": text += "\\\\"
        case "\n": text += "\\n"
        case "\r": text += "\\r"
        case "\t": text += "\\t"
        case _ where !scalar.isPrintable: writeNumbers(of: scalar, to: &text)
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    text += "\""
  }

  /// Appends a character by its UTF-16 numbers, such as `\u2028`; it must stand in a string.
  package static func writeNumbers(of scalar: Unicode.Scalar, to text: inout String) {
    for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
      let digits = String(unit, radix: 16)
      text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
}

extension Unicode.Scalar {
  /// True if it cannot control a terminal: no control character, no line separator, no change of the direction of
  /// writing.
  package var isPrintable: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
    default: !properties.isBidiControl
    }
  }
}
