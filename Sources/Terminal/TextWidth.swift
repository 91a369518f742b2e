internal import CNcurses

/// The width of text on a terminal.
public nonisolated enum TextWidth {
  /// Returns the columns of a text: none for combining marks, two for wide characters (wcwidth(3)), one for tabs and
  /// line breaks, which are drawn as spaces.
  public static func columns(of text: String) -> Int {
    text.reduce(0) { $0 + columns(of: $1) }
  }

  /// Returns the columns of a character.
  public static func columns(of character: Character) -> Int {
    if let ascii = character.asciiValue, 32..<127 ~= ascii { return 1 }
    if Glyphs.isSpacing(character) { return 1 }
    let scalars = character.unicodeScalars
    if isEmoji(character), let first = scalars.first { return columns(of: first) }
    return scalars.reduce(0) { $0 + columns(of: $1) }
  }

  private static func columns(of scalar: Unicode.Scalar) -> Int {
    Glyphs.isPrintable(scalar) ? max(Int(wcwidth(wchar_t(bitPattern: scalar.value))), 0) : 0
  }

  /// Returns true if a character is a joined emoji or one with a skin tone, which has the width of its first part.
  static func isEmoji(_ character: Character) -> Bool {
    let scalars = character.unicodeScalars
    guard scalars.count > 1, let first = scalars.first else { return false }
    // The letters of flags are not emoji by themselves; digits are emoji according to the standard.
    return first.properties.isEmojiPresentation && columns(of: first) == 2
      || first.properties.isEmoji && first.value > 0xFF && scalars.contains("\u{200D}")
  }

  /// Returns the longest prefix of a text that fits into a number of columns.
  public static func prefix(of text: String, columns limit: Int) -> String {
    var used = 0
    return String(
      text.prefix { character in
        used += columns(of: character)
        return used <= limit
      })
  }

  /// Returns the text if it fits into a number of columns, otherwise its beginning and an ellipsis.
  /// - Complexity: O(columns), whatever the length of the text.
  public static func fit(_ text: String, columns limit: Int) -> String {
    // Characters without width take no columns, so the bytes are limited as well.
    let byteLimit = max(limit, 0) * 64
    let isWhole = text.utf8.count <= byteLimit || text.isEmpty
    let beginning = isWhole ? text : String(text.unicodeScalars.prefix(byteLimit / 4))
    if isWhole, columns(of: beginning) <= limit { return text }
    return prefix(of: beginning, columns: limit - 1) + (limit > 0 ? "…" : "")
  }

  /// Breaks a text at spaces into a limited number of lines; if it does not fit, the last one ends in an ellipsis.
  public static func wrap(_ text: String, columns limit: Int, lines count: Int) -> [String] {
    let all = wrap(text, columns: limit)
    guard all.count > count, count > 0 else { return Array(all.prefix(max(count, 0))) }
    let rest = all[(count - 1)...].joined(separator: " ")
    return all.prefix(count - 1) + [fit(rest, columns: limit)]
  }

  /// Breaks a text at spaces into lines of at most `limit` columns; longer words are split.
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
