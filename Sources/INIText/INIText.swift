internal import CINIH

/// An error in an INI file: the line and the reason.
public struct INIError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The line, counted from 1.
  public let line: Int
  /// The reason.
  public let reason: String

  /// Creates an error.
  public init(line: Int, _ reason: String) { (self.line, self.reason) = (line, reason) }

  /// The line and the reason.
  public var description: String { "line \(line): \(reason)" }
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
public struct INIText: Equatable, Sendable {
  /// A section, such as `[listen]`. The values above the first one are in a section without a name.
  public struct Section: Equatable, Sendable {
    /// The name between the brackets.
    public let name: String
    /// The values, each under its key.
    public internal(set) var values: [Value]

    /// Returns the value of a key.
    public subscript(key: String) -> String? { values.first { $0.key == key }?.text }
  }

  /// A key and its value.
  public struct Value: Equatable, Sendable {
    /// The key.
    public let key: String
    /// The value, without spaces around it.
    public internal(set) var text: String
    /// The line of the key, counted from 1.
    public let line: Int
  }

  /// The sections that have values.
  public private(set) var sections: [Section] = []

  /// The maximum number of bytes that libinih accepts in a line.
  private static let lineLimit = 197

  /// Parses the text of a file.
  ///
  /// - Throws: The first line that is too long, or that is not a section, value or comment.
  /// - Complexity: O(bytes).
  public init(parsing text: String) throws(INIError) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    if let index = lines.firstIndex(where: { $0.utf8.count > Self.lineLimit }) {
      throw INIError(
        line: index + 1, "longer than \(Self.lineLimit) bytes; an indented line continues the value above it")
    }
    if let index = lines.firstIndex(where: { $0.utf8.contains(0) }) { throw INIError(line: index + 1, "a zero byte") }
    var found: [(section: String, key: String, text: String)] = []
    let status = withUnsafeMutablePointer(to: &found) { found in
      ini_parse_string(
        text,
        { found, section, key, value in
          guard let found, let section, let key else { return 0 }
          found.assumingMemoryBound(to: [(section: String, key: String, text: String)].self).pointee.append(
            (String(cString: section), String(cString: key), value.map { String(cString: $0) } ?? ""))
          return 1
        }, found)
    }
    guard status == 0 else {
      throw INIError(line: max(Int(status), 1), "neither [section], key = value nor a comment")
    }
    var places = KeyPlaces(lines)
    for (section, key, text) in found { add(section, key, text, line: places.next(key)) }
  }

  private mutating func add(_ section: String, _ key: String, _ text: String, line: Int?) {
    let index: Int
    if let known = sections.firstIndex(where: { $0.name == section }) {
      index = known
    } else {
      index = sections.count
      sections.append(Section(name: section, values: []))
    }
    // For a continuation line, libinih reports the same key again.
    if line == nil, let last = sections[index].values.indices.last, sections[index].values[last].key == key {
      sections[index].values[last].text += " " + text
    } else {
      sections[index].values.append(Value(key: key, text: text, line: line ?? 0))
    }
  }
}

/// Finds the line numbers of keys, which libinih does not report.
private struct KeyPlaces {
  private let lines: [Substring]
  private var position = 0

  init(_ lines: [Substring]) { self.lines = lines }

  /// Returns the number of the next line with this key, or nil if the value continues the previous one.
  mutating func next(_ key: String) -> Int? {
    var index = position
    while index < lines.count {
      let line = lines[index]
      let text = line.drop { $0 == " " || $0 == "\t" }
      let isComment = text.isEmpty || text.hasPrefix(";") || text.hasPrefix("#")
      let name = text.prefix { $0 != "=" && $0 != ":" }
      if !isComment, !text.hasPrefix("[") {
        if line.first == " " || line.first == "\t", index > 0, position > 0 {
          position = index + 1
          return nil
        }
        if name.count < text.count, name.filter({ $0 != " " && $0 != "\t" }) == key.filter({ $0 != " " && $0 != "\t" })
        {
          position = index + 1
          return index + 1
        }
      }
      index += 1
    }
    return nil
  }
}
