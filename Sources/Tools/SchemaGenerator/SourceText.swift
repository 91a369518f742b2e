/// The lines of a generated file.
struct SourceText {
  private(set) var lines: [String] = []
  private var depth = 0
  private let indentation: String

  /// An empty text, whose blocks are indented by this.
  init(indentation: String) { self.indentation = indentation }

  /// The whole text, which ends with a line break.
  var text: String { lines.joined(separator: "\n") + "\n" }

  /// Appends a line; an empty one without spaces.
  mutating func line(_ text: String = "") {
    lines.append(text.isEmpty ? "" : String(repeating: indentation, count: depth) + text)
  }

  /// Appends lines that are indented further.
  mutating func block(_ body: (inout Self) -> Void) {
    depth += 1
    body(&self)
    depth -= 1
  }

  /// Appends a line, an indented block, and a last line unless it is empty.
  mutating func block(_ first: String, _ last: String = "", _ body: (inout Self) -> Void) {
    line(first)
    block(body)
    if !last.isEmpty { line(last) }
  }
}

/// The lines of a comment, without control characters, which could end a comment or confuse a reader.
func commentLines(_ text: String) -> [String] {
  text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    String(
      String.UnicodeScalarView(
        line.unicodeScalars.filter { $0.properties.generalCategory != .control && !isSeparator($0) }))
  }
}

private func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
  default: false
  }
}

/// A text as a literal in double quotes, whose escapes Python, TypeScript and JSON have in common.
func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"", "\\": result += "\\\(scalar)"
    default:
      if scalar.isASCII, scalar.value >= 0x20, scalar.value != 0x7F {
        result.unicodeScalars.append(scalar)
      } else {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
  }
  return result + "\""
}
