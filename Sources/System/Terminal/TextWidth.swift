internal import CNcurses
internal import Glibc

/// The width of text on a terminal.
public nonisolated enum TextWidth {
  /// Lets the C library know the widths of all characters, also in a program that has chosen no locale, as tests have
  /// not. `Terminal` chooses that of the environment.
  package static func prepare() { _ = isPrepared }

  private static let isPrepared: Bool = {
    let codeset = nl_langinfo(CInt(CODESET)).map { String(cString: $0) }
    return codeset == "UTF-8" || setlocale(LC_CTYPE, "C.UTF-8") != nil
  }()

  /// Returns the columns of a text: none for combining marks, two for wide characters (wcwidth(3)), one for tabs and
  /// line breaks, which are drawn as spaces, and for unknown characters, which are drawn as a replacement.
  public static func columns(of text: String) -> Int {
    text.reduce(0) { $0 + columns(of: $1) }
  }

  /// Returns the columns of a text, but no more than a limit, for example the columns of the screen.
  /// - Complexity: O(limit), whatever the length of the text.
  public static func columns(of text: String, upTo limit: Int) -> Int {
    var used = 0
    for character in beginning(of: text, columns: limit).text {
      used += columns(of: character)
      if used >= limit { return max(limit, 0) }
    }
    return used
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
    guard Glyphs.isPrintable(scalar) else { return 0 }
    return width(of: scalar) ?? 1
  }

  /// Returns the width of a scalar; nil if the C library does not know it, and a replacement of one column is drawn.
  static func width(of scalar: Unicode.Scalar) -> Int? {
    let width = Int(wcwidth(wchar_t(bitPattern: scalar.value)))
    return width < 0 ? nil : width
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
    let (beginning, isWhole) = beginning(of: text, columns: limit)
    if isWhole, columns(of: beginning) <= limit { return beginning }
    return prefix(of: beginning, columns: limit - 1) + (limit > 0 ? "…" : "")
  }

  /// Returns as much of a text as can be shown in a number of columns, and whether that is the whole text.
  ///
  /// Characters without width take no columns, so the bytes are limited as well.
  private static func beginning(of text: String, columns: Int) -> (text: String, isWhole: Bool) {
    let byteLimit = max(columns, 0) * 64
    guard text.utf8.count > byteLimit, !text.isEmpty else { return (text, true) }
    return (String(text.unicodeScalars.prefix(byteLimit / 4)), false)
  }

  /// Breaks a text at spaces into a limited number of lines; if it does not fit, the last one ends in an ellipsis.
  /// - Complexity: O(columns × lines), whatever the length of the text.
  public static func wrap(_ text: String, columns limit: Int, lines count: Int) -> [String] {
    guard limit > 0, count > 0 else { return [] }
    // One line more than is shown.
    let (beginning, isWhole) = beginning(of: text, columns: limit * (count + 1))
    let all = wrap(beginning, columns: limit)
    guard all.count > count || !isWhole else { return all }
    let last = all.dropFirst(count - 1).joined(separator: " ")
    return all.prefix(count - 1)
      + [isWhole ? fit(last, columns: limit) : prefix(of: last, columns: limit - 1) + "…"]
  }

  /// Breaks a text at spaces into lines of at most `limit` columns; longer words are split.
  /// - Complexity: O(length of the text).
  public static func wrap(_ text: String, columns limit: Int) -> [String] {
    guard limit > 0 else { return [] }
    var (lines, used) = ([""], 0)
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      let pieces = pieces(of: word, columns: limit)
      for (piece, width) in pieces {
        if lines[lines.count - 1].isEmpty {
          (lines[lines.count - 1], used) = (piece, width)
        } else if pieces.count == 1, used + 1 + width <= limit {
          lines[lines.count - 1] += " \(piece)"
          used += 1 + width
        } else {
          lines.append(piece)
          used = width
        }
      }
    }
    return lines
  }

  /// Splits a word into pieces of at most `limit` columns, with their columns. Wider characters are left out.
  private static func pieces(of word: Substring, columns limit: Int) -> [(text: String, columns: Int)] {
    var (pieces, piece, used): ([(String, Int)], String, Int) = ([], "", 0)
    for character in word {
      let width = columns(of: character)
      guard width <= limit else { continue }
      if used + width > limit {
        pieces.append((piece, used))
        (piece, used) = ("", 0)
      }
      piece.append(character)
      used += width
    }
    return piece.isEmpty ? pieces : pieces + [(piece, used)]
  }
}
