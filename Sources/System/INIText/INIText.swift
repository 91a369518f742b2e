internal import CINIH

/// An error in an INI file: the line and the reason.
package struct INIError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line, counted from 1.
  package let line: Int
  /// The reason.
  package let reason: String

  /// Creates an error.
  package init(line: Int, _ reason: String) { (self.line, self.reason) = (line, reason) }

  /// The line and the reason.
  package var description: String { "line \(line): \(reason)" }
}

/// The sections of an INI file with their values, in the order of the file.
///
/// ```ini
/// ; a comment
/// [listen]
/// socket = /run/storehub/hub.sock
/// ```
///
/// The text is parsed by libinih. A comment begins with `;` or `#` at the start of a line, or with ` ;` after a value.
/// An indented line continues the value above it. Lines have at most 197 bytes.
package struct INIText: Equatable, Sendable {
  /// A section, such as `[listen]`. The values above the first one are in a section without a name.
  package struct Section: Equatable, Sendable {
    /// The name between the brackets.
    package let name: String
    /// The lines with the name, counted from 1; none for the section without a name.
    package internal(set) var lines: [Int] = []
    /// The values, each under its key.
    package internal(set) var values: [Value] = []

    /// Returns the value of a key.
    package subscript(key: String) -> String? { values.first { $0.key == key }?.text }
  }

  /// A key and its value.
  package struct Value: Equatable, Sendable {
    /// The key.
    package let key: String
    /// The value, without spaces around it.
    package internal(set) var text: String
    /// The line of the key, counted from 1.
    package let line: Int
  }

  /// The sections, also those without values.
  package private(set) var sections: [Section] = []

  /// Parses the text of a file.
  ///
  /// - Throws: The first line that is too long, that is not a section, value or comment, or that has a key which its
  ///   section has already.
  /// - Complexity: O(bytes).
  package init(parsing text: String) throws(INIError) {
    var problems: [INIError] = []
    self.init(parsing: text, problems: &problems)
    if let first = problems.first { throw first }
  }

  /// Parses the text of a file, and continues after an error.
  ///
  /// - Parameter problems: Receives the errors that the other initializer throws, in the order of their lines.
  /// - Complexity: O(bytes).
  package init(parsing text: String, problems: inout [INIError]) {
    var parser = Parser(text)
    let status = withUnsafeMutablePointer(to: &parser) { parser in
      ini_parse_stream(
        { buffer, size, parser in
          guard let buffer, let parser,
            parser.assumingMemoryBound(to: Parser.self).pointee.copyLine(
              to: UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
          else { return nil }
          return buffer
        }, parser,
        { parser, section, key, value in
          guard let parser, let section, let key else { return 0 }
          parser.assumingMemoryBound(to: Parser.self).pointee.add(
            String(cString: section), String(cString: key), value.map { String(cString: $0) } ?? "")
          return 1
        }, parser)
    }
    sections = parser.sections
    problems += parser.problems
    // The parser notices each of them itself.
    if status != 0, parser.problems.isEmpty { problems.append(Parser.unknownLine(max(Int(status), 1))) }
  }
}

/// Passes lines to libinih and collects its results.
///
/// libinih reports neither the headers of sections nor the lines of its errors after the first. It reports the values
/// of a line before it asks for the next one, so the line of a value is the last one that it was given, and a line is
/// wrong if it should have a value and none was reported.
private struct Parser {
  private(set) var sections: [INIText.Section] = []
  /// The errors so far, in the order of their lines.
  private(set) var problems: [INIError] = []
  private let lines: [Substring.UTF8View]
  /// The number of lines that libinih was given.
  private var count = 0
  /// True if an indented line continues a value.
  private var isAfterValue = false
  /// True if the current line is indented.
  private var isIndented = false
  /// True if the current line must have a value that libinih has not reported.
  private var awaitsValue = false
  /// True after a line that libinih was not given, whose continuations it is not given either.
  private var isAfterRefusedLine = false
  /// The whole name of the section if libinih cuts it.
  private var longName: String?

  /// The maximum number of bytes that libinih accepts in a line.
  private static let lineLimit = 197
  /// The maximum number of bytes of a section's name that libinih does not cut.
  private static let nameLimit = 48
  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  init(_ text: String) { lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) }

  static func unknownLine(_ line: Int) -> INIError {
    INIError(line: line, "neither [section], key = value nor a comment")
  }

  /// Copies the next line to a buffer, with a newline and a zero byte; returns false after the last line. A line that
  /// cannot be passed on becomes an empty one.
  mutating func copyLine(to buffer: UnsafeMutableRawBufferPointer) -> Bool {
    if awaitsValue { problems.append(Self.unknownLine(count)) }
    awaitsValue = false
    guard count < lines.count else { return false }
    let line = lines[count]
    count += 1
    let isGiven = accepts(line)
    let length = isGiven ? line.count : 0
    if isGiven { buffer.copyBytes(from: line) }
    buffer[length] = UInt8(ascii: "\n")
    buffer[length + 1] = 0
    if isGiven { examine(count == 1 && line.starts(with: Self.byteOrderMark) ? line.dropFirst(3) : line) }
    return true
  }

  /// Returns false for a line that libinih must not be given.
  private mutating func accepts(_ line: Substring.UTF8View) -> Bool {
    if isAfterRefusedLine, let first = line.first, Self.isBlank(first) { return false }
    let length = "longer than \(Self.lineLimit) bytes; an indented line continues the value above it"
    let reason = line.count > Self.lineLimit ? length : line.contains(0) ? "a zero byte" : nil
    isAfterRefusedLine = reason != nil
    if let reason { problems.append(INIError(line: count, reason)) }
    return reason == nil
  }

  /// Notes the kind of a line.
  private mutating func examine(_ line: Substring.UTF8View) {
    let text = line.drop(while: Self.isBlank)
    isIndented = text.count < line.count
    guard let first = text.first, first != UInt8(ascii: ";"), first != UInt8(ascii: "#") else { return }
    guard first == UInt8(ascii: "["), !(isIndented && isAfterValue), let end = text.firstIndex(of: UInt8(ascii: "]"))
    else { return awaitsValue = true }
    let name = String(Substring(text[text.index(after: text.startIndex)..<end]))
    longName = name.utf8.count > Self.nameLimit ? name : nil
    // libinih ignores the rest of the line, which may be a value.
    let rest = text[text.index(after: end)...].drop(while: Self.isBlank)
    if !rest.isEmpty, rest.first != UInt8(ascii: ";"), rest.first != UInt8(ascii: "#") {
      problems.append(
        INIError(line: count, "'\(Substring(rest))' stands after [\(name)]; write it on a line of its own"))
    }
    sections[index(of: name)].lines.append(count)
    isAfterValue = false
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }

  /// Adds the value of a key in the current line. A line that continues a value has the key of that value.
  mutating func add(_ section: String, _ key: String, _ text: String) {
    awaitsValue = false
    let index = index(of: longName ?? section)
    if isIndented, isAfterValue, let last = sections[index].values.indices.last {
      sections[index].values[last].text += " " + text
    } else {
      if !key.isEmpty, let first = sections[index].values.first(where: { $0.key == key }) {
        problems.append(
          INIError(line: count, "'\(key)' stands in line \(first.line) already; one of them would be ignored"))
      }
      sections[index].values.append(INIText.Value(key: key, text: text, line: count))
    }
    isAfterValue = !key.isEmpty
  }

  private mutating func index(of section: String) -> Int {
    if let known = sections.firstIndex(where: { $0.name == section }) { return known }
    sections.append(INIText.Section(name: section))
    return sections.count - 1
  }
}
