/// The printable form of text: without characters that could move the terminal's cursor or reverse other text, and
/// without those whose width differs among terminals.
nonisolated enum Glyphs {
  /// A piece of text that is drawn at a column.
  struct Piece: Equatable {
    var column: Int
    var text: String
    /// True if the text is one joined emoji, of which only the first part has a width.
    var isJoined = false
  }

  /// The capabilities of a terminal that determine the drawn form.
  struct Form: Equatable {
    /// True if the terminal shows characters beyond ASCII.
    var isUnicode = true
    /// True if the terminal shows an emoji that is joined from several in two columns.
    var joinsEmoji = false
    /// True if the terminal shows an emoji with a skin tone in two columns.
    var hasSkinTones = false
  }

  /// The maximum number of scalars in a cell of ncurses.
  private static let cellLimit = 5

  /// Returns the pieces of a text for a terminal.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - limit: The available columns; the rest is cut off.
  ///   - form: The capabilities of the terminal.
  static func pieces(_ text: String, columns limit: Int, _ form: Form) -> [Piece] {
    var pieces: [Piece] = []
    var (run, used) = (Piece(column: 0, text: ""), 0)
    for character in text {
      let width = TextWidth.columns(of: character)
      guard used + width <= limit else { break }
      if form.isUnicode, let joined = joined(character, form) {
        if !run.text.isEmpty { pieces.append(run) }
        pieces.append(Piece(column: used, text: joined, isJoined: true))
        run = Piece(column: used + width, text: "")
      } else {
        let glyph = glyph(character)
        let isDrawn = form.isUnicode || glyph.utf8.allSatisfy { $0 < 0x80 }
        run.text += isDrawn ? glyph : ascii(character, width)
      }
      used += width
    }
    return run.text.isEmpty ? pieces : pieces + [run]
  }

  /// Returns as many parts of an emoji as fit into a cell and the terminal joins; nil if that is only the first one, and
  /// for other characters.
  private static func joined(_ character: Character, _ form: Form) -> String? {
    guard form.joinsEmoji || form.hasSkinTones, TextWidth.isEmoji(character), TextWidth.columns(of: character) == 2
    else { return nil }
    var scalars = character.unicodeScalars.filter { isPrintable($0) || $0 == "\u{FE0F}" }
    // A terminal may know no more of them than the C library does.
    guard scalars.allSatisfy({ TextWidth.width(of: $0) != nil }) else { return nil }
    if !form.hasSkinTones { scalars.removeAll { $0.properties.isEmojiModifier } }
    if !form.joinsEmoji { scalars = String.UnicodeScalarView(scalars.prefix { $0 != "\u{200D}" }) }
    if scalars.count > cellLimit { scalars.removeAll { $0 == "\u{FE0F}" } }
    if scalars.count > cellLimit {
      let end = scalars.prefix(cellLimit + 1).lastIndex(of: "\u{200D}") ?? scalars.startIndex
      scalars = String.UnicodeScalarView(scalars[..<end])
    }
    return scalars.count > 1 ? String(scalars) : nil
  }

  /// Returns the drawn form of a character on any terminal.
  ///
  /// Some terminals show the parts of a joined emoji side by side, and others show one emoji. Only the first part is
  /// drawn, which has the same width on both.
  static func glyph(_ character: Character) -> String {
    if let ascii = character.asciiValue, 32..<127 ~= ascii { return String(character) }
    if isSpacing(character) { return " " }
    let scalars = character.unicodeScalars
    guard TextWidth.isEmoji(character), let first = scalars.first else {
      return String(String.UnicodeScalarView(scalars.filter(isPrintable).map(known)))
    }
    return String(known(first))
  }

  /// Returns a scalar, or a replacement of one column if the C library does not know its width: ncurses would count a
  /// column for it, whatever the terminal draws.
  private static func known(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    TextWidth.width(of: scalar) == nil ? "\u{FFFD}" : scalar
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
    case "▁": "_"
    case "▂": "."
    case "▃": "-"
    case "▄": "="
    case "▅": "+"
    case "▆": "*"
    case "▇": "%"
    case "░": "."
    case "“", "”": "\""
    case "‘", "’": "'"
    case "–", "—": "-"
    case "\u{a0}": " "
    default: String(repeating: "?", count: width)
    }
  }
}
