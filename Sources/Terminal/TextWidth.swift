internal import CNcurses

/// How much room text takes on a terminal.
public nonisolated enum TextWidth {
  /// The columns that a text takes: none for combining marks, two for wide characters (wcwidth(3)).
  public static func columns(of text: String) -> Int {
    text.reduce(0) { $0 + columns(of: $1) }
  }

  /// The columns that one character takes.
  public static func columns(of character: Character) -> Int {
    let widths = character.unicodeScalars.map { Int(wcwidth(wchar_t(bitPattern: $0.value))) }
    return max(widths.max() ?? 0, 0)
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
  public static func fit(_ text: String, columns limit: Int) -> String {
    columns(of: text) <= limit ? text : prefix(of: text, columns: limit - 1) + (limit > 0 ? "…" : "")
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
