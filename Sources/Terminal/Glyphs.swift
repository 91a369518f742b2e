/// The printable form of text: without characters that could move the terminal's cursor or reverse other text, and
/// without those whose width differs among terminals.
nonisolated enum Glyphs {
  /// Returns the text for a terminal.
  ///
  /// - Parameters:
  ///   - limit: The available columns; the rest is cut off.
  ///   - isUnicode: True if the terminal shows characters beyond ASCII.
  static func text(_ text: String, columns limit: Int, isUnicode: Bool) -> String {
    var (result, used) = ("", 0)
    for character in text {
      let glyph = glyph(character)
      let width = TextWidth.columns(of: character)
      used += width
      guard used <= limit else { break }
      if isUnicode || glyph.utf8.allSatisfy({ $0 < 0x80 }) {
        result += glyph
      } else {
        result += ascii(character, width)
      }
    }
    return result
  }

  /// Returns the drawn form of a character.
  ///
  /// Some terminals show the parts of a joined emoji side by side, and others show one emoji. Only the first part is
  /// drawn, which has the same width on both.
  static func glyph(_ character: Character) -> String {
    if let ascii = character.asciiValue, 32..<127 ~= ascii { return String(character) }
    if isSpacing(character) { return " " }
    let scalars = character.unicodeScalars
    guard TextWidth.isEmoji(character), let first = scalars.first else {
      return String(String.UnicodeScalarView(scalars.filter(isPrintable)))
    }
    return String(first)
  }

  /// Returns true if a scalar is drawn.
  static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    // Directional marks are not drawn. The joiners are, because scripts need them too.
    case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
    // The variation selector for coloured emoji makes them wider on some terminals.
    default: scalar != "\u{FE0F}"
    }
  }

  /// Returns true for tabs and line breaks, which are drawn as spaces.
  static func isSpacing(_ character: Character) -> Bool { character == "\t" || character.isNewline }

  /// Returns an ASCII replacement of the same width.
  private static func ascii(_ character: Character, _ width: Int) -> String {
    switch character {
    case "─": "-"
    case "│", "┤", "├": "|"
    case "┌", "┐", "└", "┘": "+"
    case "…", "·": "."
    case "›", "→": ">"
    case "‹", "←": "<"
    case "★", "•": "*"
    case "↑": "^"
    case "↓": "v"
    case "█", "▓", "▒": "#"
    case "░": "."
    case "“", "”": "\""
    case "‘", "’": "'"
    case "–", "—": "-"
    case "\u{a0}": " "
    default: String(repeating: "?", count: width)
    }
  }
}
