func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

extension String {
  /// Whether it is printed on more than one line.
  var hasLines: Bool { utf8.contains(UInt8(ascii: "\n")) }

  /// Every line moved to the right.
  func indented(by count: Int) -> String {
    spaces(count) + split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n" + spaces(count))
  }
}

/// The lines of a string. A carriage return is shown, since it would break the printed line.
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

/// How many `#` a literal needs so that none of `strings` ends it.
func hashes(for strings: String...) -> String {
  var delimiter = "\"\"\""
  while strings.contains(where: { $0.contains(delimiter) }) { delimiter += "#" }
  return String(delimiter.dropFirst(3))
}
