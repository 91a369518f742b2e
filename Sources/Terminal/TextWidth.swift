internal import CNcurses

/// The width of text on a terminal.
public nonisolated enum TextWidth {
  /// The columns that a text takes: none for combining marks, two for wide characters (wcwidth(3)).
  public static func columns(of text: String) -> Int {
    text.reduce(0) { $0 + columns(of: $1) }
  }

  /// The columns that one character takes.
  public static func columns(of character: Character) -> Int {
    if let ascii = character.asciiValue { return 32..<127 ~= ascii ? 1 : 0 }
    let scalars = character.unicodeScalars
    if isEmoji(character), let first = scalars.first { return columns(of: first) }
    return scalars.reduce(0) { $0 + columns(of: $1) }
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    Glyphs.isPrintable(scalar) ? max(Int(wcwidth(wchar_t(bitPattern: scalar.value))), 0) : 0
  }

  /// Whether a character is an emoji of several, or with a colour of skin, of which the first is drawn.
  static func isEmoji(_ character: Character) -> Bool {
    let scalars = character.unicodeScalars
    guard scalars.count > 1, let first = scalars.first else { return false }
    // The letters of flags are no emoji of their own; digits are emoji by the letter of the standard.
    return first.properties.isEmojiPresentation && columns(of: first) == 2
      || first.properties.isEmoji && first.value > 0xFF && scalars.contains("\u{200D}")
  }

  /// The longest beginning of a text that fits a number of columns.
  public static func prefix(of text: String, columns limit: Int) -> String {
    var used = 0
    return String(
      text.prefix { character in
        used += columns(of: character)
        return used <= limit
      })
  }

  /// The text if it fits a number of columns, otherwise its beginning and an ellipsis.
  /// - Complexity: O(columns), however long the text is.
  public static func fit(_ text: String, columns limit: Int) -> String {
    // Characters without a width would fill no column: a text of more bytes than this does not fit.
    let byteLimit = max(limit, 0) * 64
    let isWhole = text.utf8.count <= byteLimit || text.isEmpty
    let beginning = isWhole ? text : String(text.unicodeScalars.prefix(byteLimit / 4))
    if isWhole, columns(of: beginning) <= limit { return text }
    return prefix(of: beginning, columns: limit - 1) + (limit > 0 ? "…" : "")
  }

  /// Breaks a text at spaces into at most so many lines; where that is not all of it, the last one ends in an ellipsis.
  public static func wrap(_ text: String, columns limit: Int, lines count: Int) -> [String] {
    let all = wrap(text, columns: limit)
    guard all.count > count, count > 0 else { return Array(all.prefix(max(count, 0))) }
    let rest = all[(count - 1)...].joined(separator: " ")
    return all.prefix(count - 1) + [fit(rest, columns: limit)]
  }

  /// Breaks a text at spaces into lines of at most `limit` columns; a longer word is broken where it must be.
  public static func wrap(_ text: String, columns limit: Int) -> [String] {
    guard limit > 0 else { return [] }
    var lines = [""]
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      var word = String(word)
      let line = lines[lines.count - 1]
      if !line.isEmpty, columns(of: line) + 1 + columns(of: word) <= limit {
        lines[lines.count - 1] += " \(word)"
        continue
      }
      if !line.isEmpty { lines.append("") }
      while columns(of: word) > limit {
        let beginning = prefix(of: word, columns: limit)
        guard !beginning.isEmpty else { return lines }
        lines[lines.count - 1] = beginning
        lines.append("")
        word.removeFirst(beginning.count)
      }
      lines[lines.count - 1] = word
    }
    return lines
  }
}
