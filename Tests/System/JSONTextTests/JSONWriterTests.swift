import JSONParser
import JSONText
import Testing

/// Everything that prints JSON prints it this way.
@Suite struct JSONWriterTests {
  private func text(_ string: String) -> String { "\(JSONValue.string(string))" }

  @Test func valuesAreWrittenOnOneLineWithoutSpaces() {
    let value: JSONValue = [
      "z": .array([.null, .bool(true), .bool(false), .integer(-3), .integer(UInt64.max), .number("1.50")]),
      "a": ["nested": .array([]), "": .object([])],
    ]
    #expect(
      "\(value)"
        == #"{"z":[null,true,false,-3,18446744073709551615,1.50],"a":{"nested":[],"":{}}}"#)
  }

  @Test func quotesBackslashesAndControlCharactersAreEscaped() {
    #expect(text("a\"b\\c/d") == #""a\"b\\c/d""#)
    #expect(text("\n\r\t") == #""\n\r\t""#)
    #expect(text("\0\u{1}\u{8}\u{b}\u{c}\u{1f}") == #""\u0000\u0001\u0008\u000b\u000c\u001f""#)
    #expect(text("\u{7f}\u{80}\u{9b}\u{9f}") == #""\u007f\u0080\u009b\u009f""#)
  }

  @Test func lineSeparatorsAndChangesOfTheDirectionAreEscaped() {
    #expect(text("\u{2028}\u{2029}") == #""\u2028\u2029""#)
    #expect(text("\u{200e}\u{200f}\u{061c}") == #""\u200e\u200f\u061c""#)
    #expect(text("\u{202a}\u{202e}\u{2066}\u{2069}") == #""\u202a\u202e\u2066\u2069""#)
  }

  @Test func otherCharactersAreWrittenAsTheyAre() {
    for string in ["plain", "café", "cafe\u{301}", "水", "🎲", "👩‍🚀", "\u{a0}", "\u{fffd}", "\u{10ffff}"] {
      #expect(text(string) == "\"\(string)\"")
    }
  }

  @Test func membersAreNamedByEscapedStrings() {
    #expect("\(JSONValue.object([.init("a\"\n", .null)]))" == #"{"a\"\n":null}"#)
  }

  /// A string in Swift has no lone surrogates, so every string has a JSON text.
  @Test func everyCharacterIsReadAsItWasWritten() throws {
    for start in stride(from: UInt32(0), through: 0x10ffff, by: 0x1000) {
      let scalars = (start..<start + 0x1000).compactMap(Unicode.Scalar.init)
      let string = String(String.UnicodeScalarView(scalars))
      let read = try JSONValue(parsing: text(string))
      #expect(read == .string(string), "from U+\(String(start, radix: 16))")
    }
  }

  @Test func charactersBeyondTheFirstPlaneHaveTwoNumbers() {
    var escaped = ""
    for scalar in "é水🎲".unicodeScalars { JSONValue.writeNumbers(of: scalar, to: &escaped) }
    #expect(escaped == #"\u00e9\u6c34\ud83c\udfb2"#)
  }

  @Test func decimalsKeepTheirDigits() throws {
    #expect("\(JSONValue.decimal(0.1))" == "0.1")
    #expect("\(JSONValue.decimal(-0.0))" == "-0.0")
    for value in [0.1, 1e23, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -1.5, 1e-7] {
      guard case .number(let digits) = try JSONValue(parsing: "\(JSONValue.decimal(value))") else {
        Issue.record("\(value) is not a number")
        continue
      }
      #expect(Double(digits) == value)
    }
  }

  @Test func whatIsNoNumberIsNull() {
    for value in [Double.nan, -.nan, .infinity, -.infinity] { #expect(JSONValue.decimal(value) == .null) }
  }
}
