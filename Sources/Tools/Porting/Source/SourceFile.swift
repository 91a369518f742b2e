import SwiftParser
import SwiftSyntax

/// A Swift file of a package.
package struct SourceFile {
  /// The path below the package's directory.
  package let path: String
  /// The text as it was read.
  package let text: String
  let tree: SourceFileSyntax
  private let locations: SourceLocationConverter
  private let bytes: [UInt8]

  package init(path: String, text: String) {
    (self.path, self.text, bytes) = (path, text, Array(text.utf8))
    tree = Parser.parse(source: text)
    locations = SourceLocationConverter(fileName: path, tree: tree)
  }

  /// True if the parser did not understand a part of the file.
  var hasErrors: Bool { tree.hasError }

  /// The line break of the file's first line.
  var newline: String { text.utf8.contains(UInt8(ascii: "\r")) && text.contains("\r\n") ? "\r\n" : "\n" }

  /// The number of the line on which a piece of the source begins, without the comments before it.
  func line(of node: some SyntaxProtocol) -> Int {
    locations.location(for: node.positionAfterSkippingLeadingTrivia).line
  }

  /// The spaces before a position if nothing else is on its line before it.
  func indentation(at offset: Int) -> String? {
    let start = bytes[..<offset].lastIndex { $0 == UInt8(ascii: "\n") }.map { $0 + 1 } ?? 0
    let before = bytes[start..<offset]
    guard before.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) else { return nil }
    return String(decoding: before, as: UTF8.self)
  }

  /// The spaces at the beginning of the line of a position.
  func indentationOfLine(at offset: Int) -> String {
    let start = bytes[..<offset].lastIndex { $0 == UInt8(ascii: "\n") }.map { $0 + 1 } ?? 0
    let spaces = bytes[start...].prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    return String(decoding: spaces, as: UTF8.self)
  }

  /// The number of spaces before a position.
  func spaces(before offset: Int) -> Int { bytes[..<offset].reversed().prefix { $0 == UInt8(ascii: " ") }.count }

  /// The number of spaces from a position on.
  func spaces(after offset: Int) -> Int { bytes[offset...].prefix { $0 == UInt8(ascii: " ") }.count }

  /// True if the line after that of a position has code or a comment.
  func isFollowedByText(_ offset: Int) -> Bool {
    let rest = bytes[offset...].drop { $0 != UInt8(ascii: "\n") }.dropFirst()
    let line = String(decoding: rest.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return !line.allSatisfy(\.isWhitespace) && !line.drop(while: \.isWhitespace).hasPrefix("}")
  }

  /// The number of bytes in the line of a position.
  func lengthOfLine(at offset: Int) -> Int {
    let start = bytes[..<offset].lastIndex { $0 == UInt8(ascii: "\n") }.map { $0 + 1 } ?? 0
    return bytes[start...].prefix { $0 != UInt8(ascii: "\n") }.count
  }

  /// The end of the line of a position, if only spaces and a comment follow the position there.
  func endOfLine(after offset: Int) -> Int? {
    let end = bytes[offset...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? bytes.count
    let rest = String(decoding: bytes[offset..<end], as: UTF8.self).drop { $0 == " " || $0 == "\t" }
    return rest.isEmpty || rest.hasPrefix("//") ? end : nil
  }
}

extension SyntaxProtocol {
  /// The offset of the first byte after the comments and spaces before it.
  var start: Int { positionAfterSkippingLeadingTrivia.utf8Offset }
  /// The offset of the first byte after it, without the comments and spaces that follow.
  var end: Int { endPositionBeforeTrailingTrivia.utf8Offset }
}
