/// What of a text is put on a terminal: nothing that could move its cursor or reverse what stands beside it, and nothing
/// whose width terminals disagree about.
nonisolated enum Glyphs {
  /// The text for a terminal.
  ///
  /// - Parameters:
  ///   - limit: The columns that there are; what does not fit is cut off.
  ///   - isUnicode: Whether the terminal shows other characters than those of ASCII.
  static func text(_ text: String, columns limit: Int, isUnicode: Bool) -> String {
    var (result, used) = ("", 0)
    for character in text {
      let glyph = glyph(character)
      let width = TextWidth.columns(of: character)
      used += width
      guard used <= limit else { break }
      if isUnicode || character.isASCII { result += glyph } else { result += ascii(character, width) }
    }
    return result
  }

  /// A character as it is drawn.
  ///
  /// Terminals that cannot join emoji show the parts side by side, and those that can show one: of joined emoji, only the
  /// first is drawn, which has the same width on both.
  static func glyph(_ character: Character) -> String {
    if character.isASCII { return String(character) }
    let scalars = character.unicodeScalars
    guard TextWidth.isEmoji(character), let first = scalars.first else {
      return String(String.UnicodeScalarView(scalars.filter(isPrintable)))
    }
    return String(first)
  }

  /// Whether a scalar is drawn at all.
  static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: false
    // Marks of direction. The joiner belongs to scripts too.
    case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
    // The mark that asks for a coloured emoji, which some terminals make wider.
    default: scalar != "\u{FE0F}"
    }
  }

  /// A character of ASCII instead, as wide.
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
