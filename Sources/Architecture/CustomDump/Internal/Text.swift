func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

extension String {
  /// True if it is printed on several lines.
  var hasLines: Bool { utf8.contains(UInt8(ascii: "\n")) }

  /// The text with all lines indented.
  func indented(by count: Int) -> String {
    spaces(count) + split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n" + spaces(count))
  }
}

/// The lines of a string. A carriage return is made visible, because it would break the printed line.
func lines(of string: String) -> [String] {
  string.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
    var line = String(decoding: $0, as: UTF8.self)
    if line.utf8.last == UInt8(ascii: "\r") {
      line.unicodeScalars.removeLast()
      line += "\\r"
    }
    return line
  }
}

/// The `#` signs of a multi-line literal that contains the strings unchanged: none of them ends it or has an escape
/// sequence.
func hashes(for strings: String...) -> String {
  hashes(for: strings, quotes: "\"\"\"")
}

/// A single-line string as a literal, in raw form if it contains quotes or backslashes.
func quoted(_ string: String) -> String {
  guard string.utf8.contains(UInt8(ascii: "\"")) || string.utf8.contains(UInt8(ascii: "\\")) else {
    return string.debugDescription
  }
  let hashes = hashes(for: [string], quotes: "\"")
  return hashes + "\"" + string + "\"" + hashes
}

private func hashes(for strings: [String], quotes: String) -> String {
  var hashes = ""
  while strings.contains(where: { $0.contains(quotes + hashes) || $0.contains("\\" + hashes) }) { hashes += "#" }
  return hashes
}
