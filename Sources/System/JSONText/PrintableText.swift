extension String {
  /// The text without characters that would control a terminal, which are shown by their numbers, as in `\u{1b}`. Line
  /// breaks and tabs stay.
  /// - Complexity: O(length), without a copy of a text that has none.
  package var printable: String {
    guard !unicodeScalars.allSatisfy({ $0.isPrintable || $0 == "\n" || $0 == "\t" }) else { return self }
    return unicodeScalars.reduce(into: "") { result, scalar in
      if scalar.isPrintable || scalar == "\n" || scalar == "\t" {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
  }

  /// As `printable`, with line breaks shown by their numbers as well, for a text that must stay one line.
  package var printableLine: String {
    // No return is left, with which a line break would be one character.
    printable.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\u{a}")
  }
}
