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

  /// The maximum number of bytes that libinih accepts in a line.
  private static let lineLimit = 197

  /// Parses the text of a file.
  ///
  /// - Throws: The first line that is too long, that is not a section, value or comment, or that has a key which its
  ///   section has already.
  /// - Complexity: O(bytes).
  package init(parsing text: String) throws(INIError) {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if let index = lines.firstIndex(where: { $0.count > Self.lineLimit }) {
      throw INIError(
        line: index + 1, "longer than \(Self.lineLimit) bytes; an indented line continues the value above it")
    }
    if let index = lines.firstIndex(where: { $0.contains(0) }) { throw INIError(line: index + 1, "a zero byte") }
    var parser = Parser(lines)
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
    if let problem = parser.problem { throw problem }
    guard status == 0 else {
      throw INIError(line: max(Int(status), 1), "neither [section], key = value nor a comment")
    }
    sections = parser.sections
  }
}

/// Passes lines to libinih and collects its results.
///
/// libinih reports neither line numbers nor the headers of sections. It reports the values of a line before it asks for
/// the next one, so the line of a value is the last one that it was given.
private struct Parser {
  private(set) var sections: [INIText.Section] = []
  private let lines: [Substring.UTF8View]
  /// The number of lines that libinih was given.
  private var count = 0
  /// True if an indented line continues a value.
  private var isAfterValue = false
  /// True if the current line is indented.
  private var isIndented = false
  /// The first error that libinih does not report.
  private(set) var problem: INIError?

  init(_ lines: [Substring.UTF8View]) { self.lines = lines }

  /// Copies the next line to a buffer, with a newline and a zero byte; returns false after the last line or an error.
  mutating func copyLine(to buffer: UnsafeMutableRawBufferPointer) -> Bool {
    guard count < lines.count, lines[count].count + 2 <= buffer.count else { return false }
    let line = lines[count]
    count += 1
    buffer.copyBytes(from: line)
    buffer[line.count] = UInt8(ascii: "\n")
    buffer[line.count + 1] = 0
    noteHeader(count == 1 && line.starts(with: Self.byteOrderMark) ? line.dropFirst(3) : line)
    return problem == nil
  }

  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  private mutating func noteHeader(_ line: Substring.UTF8View) {
    let text = line.drop(while: Self.isBlank)
    isIndented = text.count < line.count
    guard text.first == UInt8(ascii: "["), !(isIndented && isAfterValue),
      let end = text.firstIndex(of: UInt8(ascii: "]"))
    else { return }
    let name = String(Substring(text[text.index(after: text.startIndex)..<end]))
    // libinih ignores the rest of the line, which may be a value.
    let rest = text[text.index(after: end)...].drop(while: Self.isBlank)
    guard rest.isEmpty || rest.first == UInt8(ascii: ";") || rest.first == UInt8(ascii: "#") else {
      problem = INIError(line: count, "'\(Substring(rest))' stands after [\(name)]; write it on a line of its own")
      return
    }
    sections[index(of: name)].lines.append(count)
    isAfterValue = false
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }

  /// Adds the value of a key in the current line. A line that continues a value has the key of that value.
  mutating func add(_ section: String, _ key: String, _ text: String) {
    let index = index(of: section)
    if isIndented, isAfterValue, let last = sections[index].values.indices.last {
      sections[index].values[last].text += " " + text
    } else {
      if !key.isEmpty, problem == nil, let first = sections[index].values.first(where: { $0.key == key }) {
        problem = INIError(line: count, "'\(key)' stands in line \(first.line) already; one of them would be ignored")
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
